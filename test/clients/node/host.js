// A DuckDB in a Node process: takes requests on standard input, answers on
// standard output, as package internal/protocol describes.
//
//   node host.js <folder with node_modules> <name of the package>
'use strict';

const { createRequire } = require('module');
const path = require('path');
const readline = require('readline');

const [folder, name] = process.argv.slice(2);
const { DuckDBInstance, DuckDBBlobValue } = createRequire(path.resolve(folder, 'package.json'))(name);

const escapes = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const unescapes = { '\\': '\\', t: '\t', n: '\n', r: '\r' };
const escape = (s) => s.replace(/[\\\t\n\r]/g, (c) => escapes[c]);
const unescape = (s) => s.replace(/\\(.)/g, (_, c) => unescapes[c]);
const answer = (...fields) => process.stdout.write(fields.map((f) => escape(String(f))).join('\t') + '\n');

// While queries run, this process does what a user's process may do: it has a timer of 5 ms, and
// handles Ctrl-C.
let longest = 0;
let last = process.hrtime.bigint();
let signals = 0;
setInterval(() => {
  const now = process.hrtime.bigint();
  longest = Math.max(longest, Number(now - last) / 1e6);
  last = now;
}, 5);
process.on('SIGINT', () => signals++);

// (module (memory 1) (func (export "f") (param i32) (result i32) local.get 0 i32.load))
const outside = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(
  '0061736d0100000001060160017f017f0302010005030100010705010166' + '00000a0901070020002802000b', 'hex'))).exports.f;

let instance;
const connections = new Map();

function text(v) {
  if (v === null) return 'NULL';
  if (v instanceof DuckDBBlobValue) return Buffer.from(v.bytes).toString('hex');
  if (['string', 'bigint', 'boolean'].includes(typeof v) || Number.isInteger(v)) return String(v);
  throw new Error(`a ${typeof v} looks different from other clients: cast it to VARCHAR`);
}

const requests = {
  async open(id, file) {
    instance = await DuckDBInstance.create(file, { allow_unsigned_extensions: 'true' });
  },
  async close() {
    for (const c of connections.values()) (c.closeSync ?? c.disconnect).call(c);
    connections.clear();
    instance?.closeSync?.();
    instance = undefined;
  },
  async connect(id, conn) {
    connections.set(conn, await instance.connect());
  },
  async disconnect(id, conn) {
    const c = connections.get(conn);
    connections.delete(conn);
    (c.closeSync ?? c.disconnect).call(c);
  },
  async exec(id, conn, sql) {
    await connections.get(conn).run(sql);
  },
  async query(id, conn, sql) {
    const reader = await connections.get(conn).runAndReadAll(sql);
    for (const row of reader.getRows()) answer(id, 'row', ...row.map(text));
  },
  async interrupt(id, conn) {
    connections.get(conn).interrupt();
  },
  // signals so far, and the longest time between two ticks of the timer, in ms
  async life(id) {
    answer(id, 'row', signals, Math.round(longest));
  },
  // Reads a number of times beyond the memory of a WebAssembly module. V8 does not check the
  // address: each read causes a SIGSEGV, which V8 handles.
  async storm(id, times) {
    for (let n = Number(times); n > 0; ) {
      try {
        outside(-1);
      } catch (e) {
        if (!(e instanceof WebAssembly.RuntimeError)) throw e;
        if (--n % 100 === 0) await new Promise(setImmediate);
      }
    }
  },
};

const input = readline.createInterface({ input: process.stdin });
input.on('line', (line) => {
  const [id, op, ...fields] = line.split('\t').map(unescape);
  const request = requests[op];
  if (!request) {
    answer(id, 'error', `no such request: ${op}`);
    return;
  }
  request(id, ...fields).then(
    () => answer(id, 'ok'),
    (e) => answer(id, 'error', e.message),
  );
});
input.on('close', () => process.exit(0));
