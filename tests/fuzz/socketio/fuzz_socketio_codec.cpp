// SPDX-License-Identifier: Apache-2.0
// The Socket.IO codec on any bytes. The input is a connection's frames, separated by 0x1e; a frame
// that begins with 'b' is a binary one. Whatever is understood must survive encoding and decoding.
#include "executor/socketio/codec.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

using namespace deskhand;
using namespace deskhand::socketio;

namespace {

void require(bool condition, const char *what)
{
    if (!condition) {
        std::fprintf(stderr, "violated: %s\n", what);
        std::abort();
    }
}

void checkRoundTrip(const Packet &packet)
{
    const auto frames = encodePacket(packet);
    if (!frames) {
        // Servers may send what a client may not: reserved names.
        require(frames.error().kind == ErrorKind::Usage, "encoding fails for usage only");
        return;
    }
    require(frames->text.isValidUtf8(), "text frames are UTF-8");
    PacketDecoder decoder;
    auto again = decoder.addText(QByteArrayView(frames->text).sliced(1));
    require(again.has_value(), "what was encoded is decoded");
    for (const QByteArray &attachment : frames->binary) {
        require(!again->has_value(), "not before the last attachment");
        again = decoder.addBinary(attachment);
        require(again.has_value(), "attachments are taken");
    }
    require(again->has_value() && **again == packet, "encoded and decoded is the same packet");
}

void take(const Result<std::optional<Packet>> &packet)
{
    if (!packet) {
        require(packet.error().kind == ErrorKind::Protocol, "faults of the peer are Protocol");
        require(!packet.error().message.isEmpty(), "an error says something");
    } else if (packet->has_value()) {
        checkRoundTrip(**packet);
        const auto values = Payload::fromValues((*packet)->payload.values());
        require(values.has_value(), "what came from JSON goes back");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    DecodeLimits limits;
    limits.maxTextBytes = 1 << 20;
    limits.maxAttachmentBytes = 4096;
    limits.maxAttachments = 16;
    PacketDecoder decoder(limits);
    const auto input = QByteArray(reinterpret_cast<const char *>(data), qsizetype(size));
    for (const QByteArray &frame : input.split('\x1e')) {
        if (frame.startsWith('b')) {
            take(decoder.addBinary(frame.sliced(1)));
            continue;
        }
        const auto engine = decodeEngine(frame);
        if (!engine) {
            continue;
        }
        require(encodeEngine(engine->type, engine->data) == frame, "Engine.IO frames round-trip");
        if (engine->type == EngineType::Open) {
            if (const auto info = decodeOpen(engine->data)) {
                require(info->pingIntervalMs > 0 && info->pingTimeoutMs > 0, "times are positive");
            }
        } else if (engine->type == EngineType::Message) {
            take(decoder.addText(engine->data));
        }
    }
    return 0;
}
