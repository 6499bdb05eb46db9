"""Log entries of each form, written as the programs write them, with the right fields."""

from __future__ import annotations

# By the program: some lines, and the fields of the first entry.
SAMPLES = {
    "logfmt": (
        ['time=2026-11-16T10:00:01Z level=info msg="server started" port=8080 took=1.5',
         'time=2026-11-16T10:00:02Z level=warn msg="said \\"no\\"" port=8081 took=20',
         "time=2026-11-16T10:00:03Z level=error msg=failed port=8082 took=3"],
        {"time": "2026-11-16T10:00:01Z", "level": "INFO", "msg": "server started", "port": 8080, "took": 1.5},
    ),
    "common": (
        ['203.0.113.7 - ann [16/Nov/2026:10:00:01 +0100] "GET /orders?page=2 HTTP/1.1" 200 5120',
         '203.0.113.8 - - [16/Nov/2026:10:00:02 +0100] "POST /login HTTP/1.1" 302 -'],
        {"ip": "203.0.113.7", "user": "ann", "time": "2026-11-16T10:00:01+01:00", "method": "GET",
         "path": "/orders?page=2", "protocol": "HTTP/1.1", "status": 200, "size": 5120},
    ),
    "combined": (
        ['2001:db8::1 - - [16/Nov/2026:10:00:01 +0000] "GET / HTTP/2.0" 404 153 "https://example.com/a" "Mozilla/5.0 (X11)"',
         '203.0.113.8 - - [16/Nov/2026:10:00:02 +0000] "\\x16\\x03\\x01" 400 157 "-" "-"',
         '203.0.113.8 - - [16/Nov/2026:10:00:03 +0000] "-" 408 0 "-" "-"'],
        {"ip": "2001:db8::1", "time": "2026-11-16T10:00:01+00:00", "method": "GET", "path": "/",
         "protocol": "HTTP/2.0", "status": 404, "size": 153, "referer": "https://example.com/a",
         "agent": "Mozilla/5.0 (X11)"},
    ),
    "syslog": (
        ["Nov 16 10:00:01 mail postfix/smtpd[4821]: connect from unknown[203.0.113.7]",
         "Nov 16 10:00:02 mail kernel: usb 1-1: new device",
         "Nov  6 10:00:03 mail last message repeated 2 times"],
        {"time": "Nov 16 10:00:01", "host": "mail", "process": "postfix/smtpd", "pid": 4821,
         "message": "connect from unknown[203.0.113.7]"},
    ),
    "syslog with priority": (
        ["<34>Nov 16 10:00:01 mail su: 'su root' failed", "<13>Nov 16 10:00:02 mail app[7]: fine"],
        {"level": "CRITICAL", "facility": 4, "time": "Nov 16 10:00:01", "host": "mail", "process": "su", "pid": None,
         "message": "'su root' failed"},
    ),
    "rfc5424": (
        ['<165>1 2026-11-16T10:00:01.003Z web1 evntslog 8710 ID47 [ex@32473 iut="3" say="a ] \\" b"][x y="1"] An event',
         "<34>1 2026-11-16T10:00:02Z - su - ID47 - \ufeffno rights",
         "<13>1 - - - - - -"],
        {"level": "NOTICE", "facility": 20, "time": "2026-11-16T10:00:01.003Z", "host": "web1", "process": "evntslog",
         "pid": 8710, "msgid": "ID47", "data": '[ex@32473 iut="3" say="a ] \\" b"][x y="1"]', "message": "An event"},
    ),
    "journal, iso": (
        ["2026-11-16T10:00:01+0100 web1 systemd[1]: Started nginx.service.",
         "2026-11-16T10:00:02+0100 web1 kernel: eth0: link up",
         "2026-11-16T10:00:03+0100 web1 sshd[99]: Accepted publickey"],
        {"time": "2026-11-16T10:00:01+01:00", "host": "web1", "process": "systemd", "pid": 1,
         "message": "Started nginx.service."},
    ),
    "journal, full": (
        ["Mon 2026-11-16 10:00:01 UTC web1 systemd[1]: Started."] * 3,
        {"time": "2026-11-16T10:00:01Z", "host": "web1", "process": "systemd", "pid": 1, "message": "Started."},
    ),
    "journal, monotonic": (
        ["[    7.123456] web1 systemd[1]: Started.", "[   17.123456] web1 systemd[1]: Stopped."] * 2,
        {"time": 7.123456, "host": "web1", "process": "systemd", "pid": 1, "message": "Started."},
    ),
    "dmesg": (
        ["[    0.000000] Linux version 6.1.0", "[    0.004231] ACPI: bus type", "[   12.000001]  sda: sda1 sda2"],
        {"time": 0.000000, "message": "Linux version 6.1.0"},
    ),
    "dmesg, dates": (
        ["[Mon Nov 16 10:00:01 2026] usb 1-1: new device", "[Mon Nov 16 10:00:02 2026] usb 1-1: gone"] * 2,
        {"time": "2026-11-16T10:00:01", "message": "usb 1-1: new device"},
    ),
    "nginx": (
        ['2026/11/16 10:00:01 [error] 31#32: *7 open() "/x" failed (2: No such file), client: 203.0.113.7',
         "2026/11/16 10:00:02 [notice] 31#31: signal 1 (SIGHUP) received", "2026/11/16 10:00:03 [warn] 31#31: low"],
        {"time": "2026-11-16T10:00:01", "level": "ERROR", "pid": 31, "tid": 32, "connection": 7,
         "message": 'open() "/x" failed (2: No such file), client: 203.0.113.7'},
    ),
    "apache": (
        ["[Mon Nov 16 10:00:01.123456 2026] [core:error] [pid 12:tid 140001] [client 203.0.113.7:5000] AH00037: no",
         "[Mon Nov 16 10:00:02.123456 2026] [mpm_event:notice] [pid 12:tid 140001] AH00489: up",
         "[Mon Nov 16 10:00:03.123456 2026] [core:notice] [pid 12:tid 140001] AH00094: Command line"],
        {"time": "2026-11-16T10:00:01.123456", "logger": "core", "level": "ERROR", "pid": 12, "tid": 140001,
         "client": "203.0.113.7:5000", "message": "AH00037: no"},
    ),
    "postgresql": (
        ["2026-11-16 10:00:01.123 UTC [77] LOG:  database system is ready",
         '2026-11-16 10:00:02.123 UTC [78] app@shop ERROR:  relation "x" does not exist at character 15',
         "2026-11-16 10:00:02.123 UTC [78] app@shop STATEMENT:  select *\n\tfrom x"],
        {"time": "2026-11-16T10:00:01.123Z", "pid": 77, "level": "LOG", "message": "database system is ready"},
    ),
    "postgresql, cet": (
        ["2026-11-16 10:00:01.123 CET [77] LOG:  ready", "2026-11-16 10:00:01.123 CET [77] FATAL:  gone"] * 2,
        {"time": "2026-11-16T10:00:01.123", "zone": "CET", "pid": 77, "level": "LOG", "message": "ready"},
    ),
    "redis": (
        ["1234:M 16 Nov 2026 10:00:01.123 * Ready to accept connections",
         "1234:M 16 Nov 2026 10:00:02.123 # Warning: no memory", "1234:S 16 Nov 2026 10:00:03.123 - 0 clients"],
        {"pid": 1234, "role": "M", "time": "2026-11-16T10:00:01.123", "level": "NOTICE",
         "message": "Ready to accept connections"},
    ),
    "mysql": (
        ["2026-11-16T10:00:01.123456Z 0 [System] [MY-010116] [Server] mysqld starting",
         "2026-11-16T10:00:02.123456Z 8 [Warning] [MY-010068] [Server] CA certificate", "2026-11-16T10:00:02.123456Z 1 [Note] x"],
        {"time": "2026-11-16T10:00:01.123456Z", "tid": 0, "level": "SYSTEM", "code": "MY-010116", "logger": "Server",
         "message": "mysqld starting"},
    ),
    "klog": (
        ["I1116 10:00:01.123456       1 server.go:152] Starting", "W1116 10:00:02.123456    4711 reflector.go:99] late",
         'E1116 10:00:03.123456       1 leader.go:7] "Failed" err="x"'],
        {"level": "INFO", "time": "1116 10:00:01.123456", "tid": 1, "file": "server.go", "line": 152, "message": "Starting"},
    ),
    "logcat": (
        ["11-16 10:00:01.123  1234  1240 I ActivityManager: Start proc", "11-16 10:00:02.123  1234  1240 E AndroidRuntime: FATAL",
         "--------- beginning of crash", "11-16 10:00:03.123  1234  1240 V Tag     : x", "11-16 10:00:03.123  1234  1240 W Tag : y"],
        {"time": "11-16 10:00:01.123", "pid": 1234, "tid": 1240, "level": "INFO", "logger": "ActivityManager",
         "message": "Start proc"},
    ),
    "logcat, brief": (
        ["I/Zygote  (  101): Preloading", "E/Tag(  102): no", "D/Tag(  102): yes"],
        {"level": "INFO", "logger": "Zygote", "pid": 101, "message": "Preloading"},
    ),
    "logcat, time": (
        ["11-16 10:00:01.123 I/Zygote  (  101): Preloading", "11-16 10:00:01.123 E/Tag(  102): no"] * 2,
        {"time": "11-16 10:00:01.123", "level": "INFO", "logger": "Zygote", "pid": 101, "message": "Preloading"},
    ),
    "cri": (
        ["2026-11-16T10:00:01.123456789Z stdout F hello", "2026-11-16T10:00:02.123456789Z stderr F oh no"] * 2,
        {"time": "2026-11-16T10:00:01.123456789Z", "stream": "stdout", "message": "hello"},
    ),
    "docker": (
        ["2026-11-16T10:00:01.123456789Z hello", "2026-11-16T10:00:02.123456789Z GET /x", "2026-11-16T10:00:02.123456789Z "],
        {"time": "2026-11-16T10:00:01.123456789Z", "message": "hello"},
    ),
    "gunicorn": (
        ["[2026-11-16 10:00:01 +0000] [31] [INFO] Starting gunicorn", "[2026-11-16 10:00:02 +0000] [33] [ERROR] no"] * 2,
        {"time": "2026-11-16T10:00:01+00:00", "pid": 31, "level": "INFO", "message": "Starting gunicorn"},
    ),
    "uvicorn": (
        ["INFO:     Started server process [31]", "INFO:     Waiting for application startup.", "WARNING:  slow",
         'INFO:     203.0.113.7:51000 - "GET /items?q=1 HTTP/1.1" 404 Not Found'],
        {"level": "INFO", "message": "Started server process [31]"},
    ),
    "celery": (
        ["[2026-11-16 10:00:01,123: INFO/MainProcess] celery@web ready.",
         "[2026-11-16 10:00:01,123: WARNING/ForkPoolWorker-1] late"] * 2,
        {"time": "2026-11-16T10:00:01.123", "level": "INFO", "process": "MainProcess", "message": "celery@web ready."},
    ),
    "env_logger": (
        ["[2026-11-16T10:00:01Z INFO  app::net] listening", "[2026-11-16T10:00:01Z ERROR app] broken"] * 2,
        {"time": "2026-11-16T10:00:01Z", "level": "INFO", "logger": "app::net", "message": "listening"},
    ),
    "tracing": (
        ["2026-11-16T10:00:01.123456Z  INFO app::net: listening port=80", "2026-11-16T10:00:02.123456Z ERROR app: broken"] * 2,
        {"time": "2026-11-16T10:00:01.123456Z", "level": "INFO", "logger": "app::net", "message": "listening port=80"},
    ),
    "ruby": (
        ["I, [2026-11-16T10:00:01.123456 #31]  INFO -- : Started", "E, [2026-11-16T10:00:02.123456 #31] ERROR -- app: no"] * 2,
        {"time": "2026-11-16T10:00:01.123456", "pid": 31, "level": "INFO", "message": "Started"},
    ),
    "monolog": (
        ['[2026-11-16T10:00:01.123456+00:00] app.INFO: Matched route {"route":"x"} []',
         "[2026-11-16T10:00:01.123456+00:00] security.ERROR: no [] []"] * 2,
        {"time": "2026-11-16T10:00:01.123456+00:00", "logger": "app", "level": "INFO",
         "message": 'Matched route {"route":"x"} []'},
    ),
    "elasticsearch": (
        ["[2026-11-16T10:00:01,123][INFO ][o.e.n.Node               ] [node-1] started",
         "[2026-11-16T10:00:01,123][WARN ][o.e.b.JNANatives         ] [node-1] no lock"] * 2,
        {"time": "2026-11-16T10:00:01.123", "level": "INFO", "logger": "o.e.n.Node", "message": "[node-1] started"},
    ),
    "spring": (
        ["2026-11-16T10:00:01.123+01:00  INFO 31 --- [shop] [           main] c.example.shop.Application   : Started",
         "2026-11-16T10:00:02.123+01:00 ERROR 31 --- [nio-8080-exec-1] o.a.c.c.C.[.[.[/]   : failed",
         "2026-11-16 10:00:02.123  WARN 31 --- [nio-8080-exec-1] o.a.Core : failed\njava.lang.IllegalStateException: no\n\tat a.B.c(B.java:7)"],
        {"time": "2026-11-16T10:00:01.123+01:00", "level": "INFO", "pid": 31, "application": "shop", "thread": "main",
         "logger": "c.example.shop.Application", "message": "Started"},
    ),
    "loguru": (
        ["2026-11-16 10:00:01.123 | INFO     | app.main:run:12 - started", "2026-11-16 10:00:01.123 | SUCCESS  | __main__:<module>:1 - done"] * 2,
        {"time": "2026-11-16T10:00:01.123", "level": "INFO", "logger": "app.main:run:12", "message": "started"},
    ),
    "logback": (
        ["10:00:01.123 [main] DEBUG com.example.App - started", "10:00:02.123 [pool-1-thread-2] ERROR com.example.Db - gone"] * 2,
        {"time": "10:00:01.123", "thread": "main", "level": "DEBUG", "logger": "com.example.App", "message": "started"},
    ),
    "log4j": (
        ["2026-11-16 10:00:01,123 INFO  [main] example.App: started", "2026-11-16 10:00:01,123 WARN  [main] example.App (B.java:1) - started"] * 2,
        {"time": "2026-11-16T10:00:01.123", "level": "INFO", "thread": "main", "logger": "example.App", "message": "started"},
    ),
    "jboss": (
        ["10:00:01,123 INFO  [org.jboss.as] (Controller Boot Thread) WFLYSRV0025: started"] * 3,
        {"time": "10:00:01,123", "level": "INFO", "logger": "org.jboss.as", "thread": "Controller Boot Thread",
         "message": "WFLYSRV0025: started"},
    ),
    "java.util.logging": (
        ["Nov 16, 2026 10:00:01 PM com.example.App main\nINFO: started", "Nov 16, 2026 10:00:02 PM com.example.App stop\nSEVERE: stopped\njava.io.IOException: x\n\tat a.b(C.java:1)"] * 2,
        {"time": "2026-11-16T22:00:01", "logger": "com.example.App", "function": "main", "level": "INFO", "message": "started"},
    ),
    "dotnet": (
        ["info: Microsoft.Hosting.Lifetime[14]\n      Now listening on: http://[::]:8080", "fail: Example.Worker[0]\n      Broken\n      System.Exception: x\n         at A.B()"] * 2,
        {"level": "INFO", "logger": "Microsoft.Hosting.Lifetime", "event": 14, "message": "Now listening on: http://[::]:8080"},
    ),
    "logrus": (
        ["\x1b[36mINFO\x1b[0m[0000] A walrus appears    \x1b[36manimal\x1b[0m=walrus", "\x1b[31mERRO\x1b[0m[0012] no"] * 2,
        {"level": "INFO", "elapsed": "0000", "message": "A walrus appears    animal=walrus"},
    ),
    "go": (
        ["2026/11/16 10:00:01 listening on :8080", "2026/11/16 10:00:02 http: panic serving"] * 2,
        {"time": "2026-11-16T10:00:01", "message": "listening on :8080"},
    ),
    "go, files": (
        ["2026/11/16 10:00:01 main.go:12: listening on :8080", "2026/11/16 10:00:02.123456 a/b.go:7: no"] * 2,
        {"time": "2026-11-16T10:00:01", "file": "main.go", "line": 12, "message": "listening on :8080"},
    ),
    "zap": (
        ['2026-11-16T10:00:01.123Z\tINFO\tapp/main.go:12\tstarted\t{"port": 80}', "2026-11-16T10:00:02.123+0100\terror\tnet\tapp/main.go:13\tno"] * 2,
        {"time": "2026-11-16T10:00:01.123Z", "level": "INFO", "caller": "app/main.go:12", "message": 'started\t{"port": 80}'},
    ),
    "brackets": (
        ["[2026-11-16 10:00:01] [ERROR] no", "[2026-11-16 10:00:02] [INFO] yes", "[2026-11-16 10:00:03] nothing"],
        {"time": "2026-11-16T10:00:01", "level": "ERROR", "message": "no"},
    ),
    "winston": (
        ["2026-11-16 10:00:01 info: up", "2026-11-16 10:00:02 error: down"] * 2,
        {"time": "2026-11-16T10:00:01", "level": "INFO", "message": "up"},
    ),
    "structlog": (
        ["\x1b[2m2026-11-16 10:00:01\x1b[0m [\x1b[32m\x1b[1minfo     \x1b[0m] \x1b[1mstarted\x1b[0m  \x1b[36mport\x1b[0m=80"] * 3,
        {"time": "2026-11-16T10:00:01", "level": "INFO", "message": "started  port=80"},
    ),
    "dpkg": (
        ["2026-11-16 10:00:01 startup archives unpack", "2026-11-16 10:00:01 status installed libc6:amd64 2.36"] * 2,
        {"time": "2026-11-16T10:00:01", "message": "startup archives unpack"},
    ),
    "alternatives": (
        ["update-alternatives 2026-11-16 10:00:01: link group vi updated to point to /usr/bin/vim"] * 3,
        {"process": "update-alternatives", "time": "2026-11-16T10:00:01", "message": "link group vi updated to point to /usr/bin/vim"},
    ),
    "maven": (
        ["[INFO] Scanning for projects...", "[INFO] ", "[WARNING] Using platform encoding", "[ERROR] Failed", "[INFO] ---"],
        {"level": "INFO", "message": "Scanning for projects..."},
    ),
    "cassandra": (
        ["INFO  [main] 2026-11-16 10:00:01,123 YamlConfigurationLoader.java:89 - Configuration location",
         "WARN  [GossipStage:1] 2026-11-16 10:00:01,123 Gossiper.java:1 - x"] * 2,
        {"level": "INFO", "thread": "main", "time": "2026-11-16T10:00:01.123",
         "message": "YamlConfigurationLoader.java:89 - Configuration location"},
    ),
    "month first": (
        ["11/16/2026 10:00:01 AM ERROR no", "11/16/2026 10:00:02 AM INFO yes"] * 2,
        {"time": "11/16/2026 10:00:01 AM", "level": "ERROR", "message": "no"},
    ),
}  # fmt: skip
