// node pack.mjs DIST OUT: every built file, compressed both ways browsers ask for, in one file for the program to
// carry. src/api/page/pack.cc reads it: a line per file, an empty line, then the bytes in the same order.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [dist, out] = process.argv.slice(2);
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ttf": "font/ttf",
  ".yaml": "application/yaml",
};

const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  .sort();

let index = "trainyard-page 1\n";
const bodies = [];
for (const file of files) {
  const type = types[extname(file)];
  if (!type) throw new Error(`pack.mjs: what type is ${file}?`);
  const bytes = readFileSync(file);
  const brotli = brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 10,
      [constants.BROTLI_PARAM_LGWIN]: 22,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  const gzip = gzipSync(bytes, { level: 9 });
  bodies.push(brotli, gzip);
  index += [relative(dist, file), type, bytes.length, brotli.length, gzip.length].join("\t") + "\n";
}
writeFileSync(out, Buffer.concat([Buffer.from(index + "\n"), ...bodies]));
