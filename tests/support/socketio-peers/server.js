// SPDX-License-Identifier: Apache-2.0
// A Socket.IO server of the npm package for the tests. One argument: JSON with any of port,
// pingInterval, pingTimeout, maxHttpBufferSize, key and cert (files; then it speaks TLS). Prints
// "PORT n" and ends when its standard input ends. Modules come from NODE_PATH.
const http = require("http");
const https = require("https");
const fs = require("fs");
const { Server } = require("socket.io");

const options = JSON.parse(process.argv[2] || "{}");
const server = options.key
  ? https.createServer({ key: fs.readFileSync(options.key), cert: fs.readFileSync(options.cert) })
  : http.createServer();
const io = new Server(server, {
  pingInterval: options.pingInterval || 25000,
  pingTimeout: options.pingTimeout || 20000,
  maxHttpBufferSize: options.maxHttpBufferSize || 1000000,
});
const goodbyes = []; // why sockets left, oldest first

io.of("/device").use((socket, next) => {
  if (socket.handshake.auth.token === "good") {
    next();
    return;
  }
  const error = new Error("Invalid or expired token");
  error.data = { code: 7, hint: "sign in" };
  next(error);
});

for (const name of ["/", "/device", "/other"]) {
  io.of(name).on("connection", (socket) => {
    socket.emit("welcome", { namespace: name });
    socket.on("disconnect", (reason) => goodbyes.push(reason));
    socket.on("echo", (...args) => {
      const answer = args.pop();
      answer(...args);
    });
    socket.on("echo-event", (...args) => socket.emit("echoed", ...args));
    socket.on("call-me", (event, ...args) =>
      socket.emit(event, ...args, (...answer) => socket.emit("answered", ...answer)));
    socket.on("burst", (count) => {
      for (let i = 0; i < count; ++i) socket.emit("tick", i);
    });
    socket.on("never", () => {});
    socket.on("kick", () => socket.disconnect(false));
    socket.on("cut", () => socket.conn.transport.socket.terminate());
    socket.on("goodbyes", (answer) => answer(goodbyes));
  });
}

server.listen(options.port || 0, "127.0.0.1", () => console.log("PORT " + server.address().port));
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
