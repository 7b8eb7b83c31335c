// SPDX-License-Identifier: Apache-2.0
// A TLS server that speaks HTTP/2, and HTTP/1.1 to those who ask for it. Prints its port. Answers
// every request with one line of JSON about it; under /stream it sends a part and waits.
// usage: node http2peer.mjs CERTIFICATE KEY
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';

const [certificate, key] = process.argv.slice(2).map((file) => readFileSync(file));
let sessions = 0;
let cancelled = 0;
const server = createSecureServer({ cert: certificate, key, allowHTTP1: true }, (request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/stream') {
      response.write('part');
      response.on('close', () => { cancelled += 1; });
      return;
    }
    response.end(JSON.stringify({
      version: request.httpVersion,
      body: Buffer.concat(parts).toString(),
      authorization: request.headers.authorization ?? '',
      sessions,
      cancelled,
    }));
  });
});
server.on('session', () => { sessions += 1; });
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit(0)).resume();
