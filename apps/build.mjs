/** Builds the two files that the package carries, and the licences of what goes into them.
 *
 *   node build.mjs [folder]    into src/penstock, or into another folder that is laid out the same
 *
 * The same sources give the same bytes. `digest` is written into the page, so that a check without
 * Node can say that the sources have changed since (tests/widgets/test_app_build.py). */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const INTO = process.argv[2] ?? join(HERE, "..", "src", "penstock");
const SOURCES = ["build.mjs", "explorer", "package-lock.json", "package.json", "payload", "tsconfig.json"];

/** SHA-256 of one line a file, `<sha256 of its bytes>  <path>\n`, in the order of the paths. */
function digest() {
  const paths = SOURCES.flatMap((name) => filesUnder(name)).sort(byBytes);
  const lines = paths.map((path) => `${sha256(readFileSync(join(HERE, path)))}  ${path}\n`);
  return sha256(lines.join(""));
}

function filesUnder(path) {
  if (path.includes(".")) return [path];
  const entries = readdirSync(join(HERE, path), { withFileTypes: true });
  return entries.flatMap((entry) =>
    entry.isDirectory() ? filesUnder(`${path}/${entry.name}`) : [`${path}/${entry.name}`],
  );
}

function byBytes(a, b) {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function sha256(data) {
  return createHash("sha256").update(data).digest("hex");
}

/** What is left out of the bundle: words and parts that nothing here reaches. */
const lean = {
  name: "lean",
  setup(bundle) {
    // Error messages in fifty languages; English is imported by itself.
    bundle.onResolve({ filter: /locales\/index\.js$/ }, ({ importer }) =>
      importer.includes("/zod/") ? { path: "locales", namespace: "empty" } : undefined,
    );
    bundle.onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "export {};" }));
  },
};

async function bundle() {
  const made = await build({
    absWorkingDir: HERE,
    entryPoints: ["explorer/main.tsx"],
    outdir: "out",
    write: false,
    bundle: true,
    minify: true,
    metafile: true,
    format: "esm",
    target: ["es2022", "chrome111", "firefox114", "safari16.4"],
    charset: "utf8",
    jsx: "automatic",
    jsxImportSource: "preact",
    // zod tries whether it may make functions out of text; the policy would report the attempt.
    banner: { js: "globalThis.__zod_globalConfig={jitless:true};" },
    legalComments: "none", // LICENSES.txt has them all
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [lean],
    logLevel: "warning",
  });
  const text = (suffix) => made.outputFiles.find((file) => file.path.endsWith(suffix)).text;
  return { script: text(".js"), style: text(".css"), inputs: Object.keys(made.metafile.inputs) };
}

/** The page. The script is a module, so it runs when the body is there. */
function page({ script, style }) {
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
    throw new Error("The bundle would end its own element.");
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">',
    '<meta name="color-scheme" content="light dark">',
    `<meta name="penstock-sources" content="sha256-${digest()}">`,
    "<title>Result explorer</title>",
    `<style>${style.trim()}</style>`,
    "</head>",
    "<body>",
    '<div id="app"><p class="waiting" role="status">Loading the result…</p></div>',
    `<script type="module">${script.trim()}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/** The licence of every package of which something is in the bundle. */
function licences(inputs) {
  const names = new Set();
  for (const input of inputs) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(input);
    if (found) names.add(found[1]);
  }
  const parts = [...names].sort(byBytes).map((name) => {
    const folder = join(HERE, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder)
      .sort(byBytes)
      .find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? readFileSync(join(folder, file), "utf8") : `Licence: ${license}`;
    return `${name} ${version} (${license})\n\n${text.replaceAll("\r\n", "\n").trim()}\n`;
  });
  const rule = `\n${"-".repeat(80)}\n\n`;
  return `results.html holds parts of these packages.\n${rule}${parts.join(rule)}`;
}

/** The helper as plain JavaScript with its comments, which only the compiler keeps. */
function payload() {
  const folder = mkdtempSync(join(tmpdir(), "payload-"));
  try {
    const tsc = join(HERE, "node_modules", "typescript", "bin", "tsc");
    const options = [
      "--target",
      "es2022",
      "--module",
      "esnext",
      "--moduleResolution",
      "bundler",
      "--lib",
      "es2023,dom",
    ];
    execFileSync(
      process.execPath,
      [tsc, "--ignoreConfig", "payload/payload.ts", "--outDir", folder, "--types", "", ...options],
      { cwd: HERE, stdio: "inherit" },
    );
    return readFileSync(join(folder, "payload.js"), "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function write(path, text) {
  const file = join(INTO, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`${path}: ${Buffer.byteLength(text).toLocaleString("en-US")} bytes`);
}

const made = await bundle();
write("explorer/results.html", page(made));
write("explorer/LICENSES.txt", licences(made.inputs));
write("widgets/payload.js", payload());
