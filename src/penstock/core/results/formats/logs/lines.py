"""The forms of log entries, in one table.

The named groups of a pattern are the fields of an entry, in their order; the message is all that
follows the match. To add a form, add it to the table: the first form that matches is the form of an
entry, so forms that say more come first.
"""

from __future__ import annotations

from typing import Final

from penstock.core.results.formats.logs.parts import LineForm, form

LOGFMT: Final = "logfmt"
STAMPED: Final = ("stamped with level", "stamped")
_LEVEL_AFTER_TIME: Final = (
    rb"[\[(<|]?+[ ]*+(?P<level>%(upper)b|%(words)b(?=[ ]*+[\]:>)|]))(?:[ ]*+[\])>|])?+:?+"
)
FORMS: Final[tuple[LineForm, ...]] = (
    # -- syslog and the journal
    form(
        "rfc5424",
        rb"<(?P<priority>1?[0-9]{1,2})>1 (?:-|%(iso)b) (?:-|(?P<host>[!-~]{1,255}+)) "
        rb"(?:-|(?P<process>[!-~]{1,48}+)) (?:-|(?P<pid>%(int)b)(?= )|(?P<process_id>[!-~]{1,128}+)) "
        rb"(?:-|(?P<msgid>[!-~]{1,32}+)) "
        rb'(?:-|(?P<data>(?:\[[^\]"\n]*+(?:"%(quoted)b"[^\]"\n]*+)*+\])++))'
        rb"(?: (?:\xef\xbb\xbf)?+|(?=\r?$))",
        fewest=2,
    ),
    form(
        "syslog with priority",
        rb"<(?P<priority>1?[0-9]{1,2})>%(no_year)b %(host)b (?:%(process)b%(pid)b?+:(?:[ ]|$))?",
        fewest=2,
    ),
    form("syslog", rb"%(no_year)b %(host)b (?:%(process)b%(pid)b?+:(?:[ ]|$))?"),
    form(
        "journal",
        rb"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?+%(iso)b %(host)b "
        rb"%(process)b(?:%(pid)b|(?<= kernel)|(?<= sudo)|(?<= su)):(?:[ ]|$)",
    ),
    form("journal of seconds", rb"\[%(seconds)b\] %(host)b %(process)b%(pid)b:(?:[ ]|$)"),
    form("journal mark", rb"(?=-- (?:Boot|Reboot|Journal|Logs)\b)", is_companion=True),
    form("kernel", rb"(?:<[0-9]{1,3}>)?+\[%(seconds)b\](?:\[ *+(?P<caller>[TC][0-9]++)\])?+(?:[ ]|$)"),
    # -- access logs
    form(
        "combined",
        rb'%(caller)b %(request)b %(status)b %(size)b "(?P<referer>%(quoted)b)" "(?P<agent>%(quoted)b)"'
        rb"(?: (?P<extra>[^\r\n]++))?+%(end)b",
        fewest=2,
        has_message=False,
    ),
    form(
        "common",
        rb"%(caller)b %(request)b %(status)b %(size)b(?: (?P<extra>[^\r\n]++))?+%(end)b",
        fewest=2,
        has_message=False,
    ),
    form("access message", rb"(?P<ip>[\w.:-]{2,255}+) - - \[%(day_first)b\] ", is_companion=True),
    form(
        "access without address",
        rb"\[%(day_first)b\] %(request)b %(status)b %(size)b%(end)b",
        fewest=2,
        has_message=False,
    ),
    form(
        "access with level",
        rb"%(level)b:[ ]++(?P<ip>[0-9A-Fa-f.:]{2,45}?):(?P<port>%(int)b) - %(request)b "
        rb"%(status)b(?: [A-Za-z' -]{2,40}+)?+%(end)b",
        has_message=False,
    ),
    # -- servers and systems
    form(
        "nginx",
        rb"%(full)b \[(?P<level>%(words)b)\] (?P<pid>%(int)b)#(?P<tid>%(int)b): (?:\*(?P<connection>%(int)b) )?+",
    ),
    form(
        "apache",
        rb"\[%(c_time)b\] \[(?:(?P<logger>[\w-]++):)?+(?P<level>%(words)b|trace[1-8])\] "
        rb"(?:\[pid (?P<pid>%(int)b)(?::tid (?P<tid>%(int)b))?+\] )?+(?:\[client (?P<client>[^\]\n]++)\] )?+",
    ),
    form(
        "postgresql",
        rb"%(iso)b(?: (?P<zone>[A-Z]{3,5}|[+-][0-9]{2}))?+ %(pid)b(?:-[0-9]++)?+:?+ "
        rb"(?:(?P<user>[^@\s]*+)@(?P<database>\S*+) )?+(?P<level>%(postgres)b):  ",
    ),
    form("redis", rb"(?P<pid>%(int)b):(?P<role>[XCSM]) %(day_first)b (?P<level>[.*#-]) "),
    form(
        "mysql",
        rb"%(iso)b (?P<tid>%(int)b) \[(?P<level>%(words)b)\] (?:\[(?P<code>[A-Z]++-[0-9]++)\] (?:\[(?P<logger>\w++)\] )?+)?+",
    ),
    form(
        "glog",
        rb"(?P<level>[IWEF])(?P<time>(?:20[0-9]{2})?+[01][0-9][0-3][0-9] %(clock)b\.[0-9]{6})[ ]++"
        rb"(?P<tid>%(int)b) (?P<file>[^\s:\]]++):(?P<line>%(int)b)\][ ]?+",
    ),
    form(
        "logcat",
        rb"(?P<time>(?:20[0-9]{2}-)?+[01][0-9]-[0-3][0-9] %(clock)b\.[0-9]{3,6})[ ]++(?P<pid>%(int)b)[ ]++"
        rb"(?P<tid>%(int)b) (?P<level>[VDIWEFA]) (?P<logger>[^:\n]{0,100}?)[ ]*+:(?:[ ]|$)",
    ),
    form(
        "logcat with time",
        rb"(?P<time>(?:20[0-9]{2}-)?+[01][0-9]-[0-3][0-9] %(clock)b\.[0-9]{3,6}) (?P<level>[VDIWEFA])/"
        rb"(?P<logger>[^(\n]{0,100}?)[ ]*+\([ ]*+(?P<pid>%(int)b)\):(?:[ ]|$)",
    ),
    form(
        "logcat in brief",
        rb"(?P<level>[VDIWEFA])/(?P<logger>[^(\n]{0,100}?)[ ]*+\([ ]*+(?P<pid>%(int)b)\):(?:[ ]|$)",
    ),
    form("logcat mark", rb"(?=--------- beginning of )", is_companion=True),
    form("cri", rb"%(iso)b (?P<stream>stdout|stderr) [FP] "),
    # -- libraries for logs
    form(LOGFMT, rb"%(pair)b(?:[ ]++%(pair)b)++%(end)b", has_message=False),
    form("gunicorn", rb"\[%(full)b\] %(pid)b \[%(level)b\] "),
    form("celery", rb"\[%(full)b: (?P<level>%(words)b)/(?P<process>[^\]\n]++)\] "),
    form("env_logger", rb"\[%(iso)b[ ]++%(level)b(?:[ ]++(?P<logger>[\w:./-]++))?+\] "),
    form("ruby", rb"[DIWEFA], \[%(iso)b #(?P<pid>%(int)b)\][ ]++%(level)b -- (?P<logger>[^:\n]{1,100})?+:[ ]"),
    form("monolog", rb"\[%(iso)b\] (?P<logger>[\w-]++)\.%(level)b: "),
    form("elasticsearch", rb"\[%(iso)b\]\[%(level)b[ ]*+\]\[(?P<logger>[^\]\n]++)\][ ]"),
    form(
        "spring",
        rb"%(full)b[ ]++%(level)b (?P<pid>%(int)b) --- (?:\[(?P<application>[^\]\n]*+)\] (?=\[))?+"
        rb"\[(?P<thread>[^\]\n]*+)\] (?P<logger>\S{1,200}+)[ ]*+: ",
    ),
    form("loguru", rb"%(full)b \| %(level)b[ ]*+\| %(logger)b - "),
    form("jboss", rb"%(any)b[ ]++%(level)b[ ]++\[(?P<logger>[\w.$-]++)\] \((?P<thread>[^)\n]++)\) "),
    form("logback", rb"%(any)b \[(?P<thread>[^\]\n]{1,200}+)\] %(level)b[ ]++(?:%(logger)b(?: -|:|[ ]++:) )?+"),
    form("log4j", rb"%(any)b[ ]++%(level)b[ ]++\[(?P<thread>[^\]\n]{1,200}+)\] %(logger)b(?: -|:|[ ]++:) "),
    form("level, time and thread", rb"%(level)b[ ]++%(any)b \[(?P<thread>[^\]\n]{1,200}+)\] (?:%(logger)b - )?+"),
    form("logger between dashes", rb"%(any)b [-|] %(logger)b[ ]++[-|] %(level)b[ ]*+[-|:] "),
    form("zap", rb"%(iso)b\t(?P<level>%(words)b)\t(?:(?P<logger>[\w./-]++)\t)?+(?P<caller>[\w./@-]++:[0-9]++)\t"),
    form("go with file", rb"%(full)b (?P<file>[\w./-]{1,200}?\.go):(?P<line>%(int)b): "),
    form(
        "java.util.logging",
        rb"%(half_days)b (?P<logger>[\w.$]++)(?: (?P<function>[\w<>$]++))?+\r?\n%(level)b: ",
    ),
    form(
        "dotnet",
        rb"(?P<level>trce|dbug|info|warn|fail|crit): (?P<logger>[\w.+`]++)\[(?P<event>%(int)b)\]\r?\n[ ]{6}",
    ),
    form("logrus", rb"(?P<level>INFO|WARN|ERRO|DEBU|FATA|PANI|TRAC)\[(?P<elapsed>[0-9]{4,}+)\][ ]?+"),
    # -- a time and a level
    form(
        "level and logger after time",
        rb"\[?+%(any)b\]?+:?+[ ]++(?:[-|][ ]++)?+\[?+%(level)b\]?+[ ]*+(?:[-|][ ]++)?+%(logger)b(?:[ ]++[-|:]|:)(?:[ ]|$)",
        is_uniform=True,
    ),
    form(
        "logger and level after time",
        rb"\[?+%(any)b\]?+:?+[ ]++%(logger)b%(pid)b?+[ ]++\[?+%(level)b\]?+(?:[ ]++[-|]|:)?+[ ]++",
        is_uniform=True,
    ),
    form(
        STAMPED[0],
        rb"\[?+%(any)b\]?+:?+[ \t]*+(?:[-|][ \t]++)?+" + _LEVEL_AFTER_TIME
        + rb"(?:[ \t]++[-|](?=[ \t]))?+(?:[ \t]++|$|(?=\[))",
    ),
    form(
        "level before time",
        rb"\[?+%(level)b\]?+:?+[ ]*+(?:[-|][ ]++)?+(?:\[(?P<thread>[^\]\n]{1,200}+)\] )?\[?+%(any)b\]?+"
        rb"(?:[ ]*+[-|:])?+[ ]++",
    ),
    form("process before time", rb"%(process)b %(full)b: "),
    form(STAMPED[1], rb"\[?+%(full)b\]?+(?::?+|[ ]++-)(?:[ ]++|$)(?![|<])"),
    # -- a level alone
    form("level and logger", rb"%(level)b:(?P<logger>[\w.]++):", is_weak=True),
    form("level", rb"%(level)b:[ ]++", is_weak=True),
    form("level in brackets", rb"\[(?P<level>%(words)b)\](?:[ ]++|$)", is_weak=True),
    form("level as a word", rb"%(level)b(?:[ ]++-)?+[ ]++(?![=:])", is_weak=True, fewest=5),
)  # fmt: skip
