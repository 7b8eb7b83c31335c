// SPDX-License-Identifier: Apache-2.0
// The basic flow of backend.py (register, heartbeat, execute, stream) on the socket.io server of
// npm, to show that a device speaks to both servers. The package is found in
// $DESKHAND_PEERS/node_modules. JSON lines as in backend.py; ends when stdin ends.
//
// Commands: execute {data}, cancel {task_id, subtask_id?}, call {event, data, id, timeout?}, drop,
//           restart, state {subtask_id, id}.
// Lines:    listening {port}, connect, refused, disconnect, online, event, ended, call_result,
//           state, dropped, restarted.
'use strict';
const path = require('path');
const http = require('http');
const readline = require('readline');
const { Server } = require(path.join(process.env.DESKHAND_PEERS || '', 'node_modules', 'socket.io'));

const room = 'device:1';
const subtasks = new Map();
const sockets = new Set();
let newest = null;
let io = null;
let port = 0;

function say(type, fields) {
    process.stdout.write(JSON.stringify({ type, ...fields }) + '\n');
}

function apply(name, payload) {
    const subtask = payload && subtasks.get(String(payload.subtask_id));
    if (!subtask || !payload.data) {
        return { error: 'Missing task_id or subtask_id' };
    }
    const body = payload.data;
    if (subtask.ended) {
        subtask.faults.push(name + ' after the ending');
    } else if (name === 'response.created') {
        subtask.created += 1;
    } else if (name === 'response.output_text.delta') {
        const have = [...subtask.text];
        const fresh = [...body.delta].slice(Math.max(0, have.length - body.offset));
        if (body.offset > have.length) {
            subtask.faults.push('a gap in the text');
        }
        subtask.text += fresh.join('');
    } else if (['response.completed', 'response.incomplete', 'error'].includes(name)) {
        subtask.ended = name;
        say('ended', subtask);
    }
    return { success: true };
}

function listen() {
    const server = http.createServer();
    io = new Server(server, { maxHttpBufferSize: 1e6, pingInterval: 25000, pingTimeout: 20000 });
    const nsp = io.of('/local-executor');
    nsp.use((socket, next) => {
        if (socket.handshake.auth.token === 'wg-test') {
            next();
            return;
        }
        const message = 'Invalid or expired API key';
        say('refused', { message });
        next(new Error(message));
    });
    nsp.on('connection', (socket) => {
        sockets.add(socket);
        say('connect', { sid: socket.id });
        socket.on('disconnect', () => {
            sockets.delete(socket);
            say('disconnect', { sid: socket.id });
        });
        socket.onAny((name, payload, ack) => {
            let answer = { success: true };
            if (name === 'device:register') {
                socket.join(room);
                newest = socket;
                answer = { success: true, device_id: payload.device_id };
                say('online', { device_id: payload.device_id });
            } else if (name.startsWith('response.') || name === 'error') {
                answer = apply(name, payload);
            }
            say('event', { name, data: payload, ack: answer });
            if (typeof ack === 'function') {
                ack(answer);
            }
        });
    });
    return new Promise((done) => {
        server.listen(port, '127.0.0.1', () => {
            port = server.address().port;
            done();
        });
    });
}

function drop() {
    const count = sockets.size;
    for (const socket of [...sockets]) {
        socket.conn.transport.socket._socket.destroy();
    }
    return count;
}

const commands = {
    execute({ data }) {
        subtasks.set(String(data.subtask_id), {
            task_id: data.task_id, subtask_id: data.subtask_id, text: '', created: 0, ended: null,
            faults: [],
        });
        io.of('/local-executor').to(room).emit('task:execute', data);
    },
    cancel({ task_id, subtask_id }) {
        io.of('/local-executor').to(room).emit('task:cancel', { task_id, subtask_id });
    },
    call({ event, data, id, timeout }) {
        newest.timeout(timeout || 5000).emit(event, data, (problem, result) => {
            say('call_result', problem ? { id, error: 'TimeoutError' } : { id, result });
        });
    },
    drop() {
        say('dropped', { sockets: drop() });
    },
    async restart() {
        drop();
        await new Promise((done) => { io.close(done); });
        await listen();
        say('restarted', { port });
    },
    state({ subtask_id, id }) {
        say('state', { id, subtask: subtasks.get(String(subtask_id)) || null });
    },
};

listen().then(() => {
    say('listening', { port });
    const input = readline.createInterface({ input: process.stdin });
    input.on('line', async (line) => {
        const command = JSON.parse(line);
        await commands[command.cmd](command);
    });
    input.on('close', () => process.exit(0));
});
