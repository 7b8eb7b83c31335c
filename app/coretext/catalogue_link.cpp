// SPDX-License-Identifier: Apache-2.0
#include "app/coretext/catalogue.h"

#include <QtGlobal>

namespace deskhand::app::coretext {
namespace {

using Kind = Sentence::Kind;

// The link to the server, down to its packets.
constexpr Sentence kSentences[] = {
    { QT_TRANSLATE_NOOP("CoreText", "No server address is set.") },
    { QT_TRANSLATE_NOOP("CoreText", "No sign-in is stored.") },
    { QT_TRANSLATE_NOOP("CoreText", "This device was connected to another server.") },
    { QT_TRANSLATE_NOOP("CoreText", "there is no link") },
    { QT_TRANSLATE_NOOP("CoreText", "The server did not answer the registration.") },
    { QT_TRANSLATE_NOOP(
        "CoreText", "The server has not answered two heartbeats; connecting again.") },
    { QT_TRANSLATE_NOOP(
        "CoreText", "The server does not accept the sign-in (%1). Sign in again.") },
    { QT_TRANSLATE_NOOP("CoreText", "The server asks for a pause: too many connection attempts.") },
    { QT_TRANSLATE_NOOP("CoreText", "This server does not take devices. Check the address.") },
    { QT_TRANSLATE_NOOP("CoreText", "The server refused the connection.") },
    { QT_TRANSLATE_NOOP("CoreText", "The server refused the connection: %1."), "1?" },
    { QT_TRANSLATE_NOOP("CoreText", "no reason was given") },
    { QT_TRANSLATE_NOOP("CoreText", "The server did not register this device: %1."), "1?" },
    { QT_TRANSLATE_NOOP("CoreText", "it did not say that it did") },
    { QT_TRANSLATE_NOOP("CoreText", "Another program is online with this device identity.") },
    { QT_TRANSLATE_NOOP("CoreText", "The server refused a heartbeat: %1."), "1?" },
    { QT_TRANSLATE_NOOP(
        "CoreText", "The server did not acknowledge a message; connecting again.") },
    { QT_TRANSLATE_NOOP("CoreText", "The server has forgotten this device; connecting again.") },
    { QT_TRANSLATE_NOOP("CoreText", "the event asks for no answer") },
    { QT_TRANSLATE_NOOP("CoreText", "the event was already answered") },
    { QT_TRANSLATE_NOOP("CoreText", "the connection that asked is gone") },
    { QT_TRANSLATE_NOOP("CoreText", "no namespace to connect to") },
    { QT_TRANSLATE_NOOP(
        "CoreText", "\"%1\" is no namespace: it starts with '/' and has no comma") },
    { QT_TRANSLATE_NOOP("CoreText", "the client is already started") },
    { QT_TRANSLATE_NOOP("CoreText", "connecting to %1") },
    { QT_TRANSLATE_NOOP("CoreText", "a packet for a namespace that was not asked for") },
    { QT_TRANSLATE_NOOP("CoreText", "an answer to id %1, for which no event waits") },
    { QT_TRANSLATE_NOOP("CoreText", "CONNECT for a namespace that does not wait for it") },
    { QT_TRANSLATE_NOOP("CoreText",
        "the server answered CONNECT without a session id; it may speak an older Socket.IO") },
    { QT_TRANSLATE_NOOP("CoreText", "the server disconnected the namespace %1") },
    { QT_TRANSLATE_NOOP("CoreText", "DISCONNECT for a namespace that is not connected") },
    { QT_TRANSLATE_NOOP("CoreText", "CONNECT_ERROR for a namespace that does not wait for it") },
    { QT_TRANSLATE_NOOP("CoreText", "the server refused the namespace %1: %2"), "2?" },
    { QT_TRANSLATE_NOOP("CoreText", "an event for a namespace that is not connected") },
    { QT_TRANSLATE_NOOP("CoreText", "no answer to CONNECT within %1 ms") },
    { QT_TRANSLATE_NOOP("CoreText", "the client was stopped before the answer came") },
    { QT_TRANSLATE_NOOP("CoreText", "the connection was lost before the answer came: %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "the namespace %1 is not connected") },
    { QT_TRANSLATE_NOOP("CoreText", "a frame of %1 bytes is above the server's limit of %2") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 does not fit in 63 bits") },
    { QT_TRANSLATE_NOOP("CoreText", "JSON nested deeper than %1 levels") },
    { QT_TRANSLATE_NOOP("CoreText", "JSON at byte %1: %2") },
    { QT_TRANSLATE_NOOP("CoreText", "%1: the payload is not an array"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "%1: the payload is not one value"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "CONNECT packet") },
    { QT_TRANSLATE_NOOP("CoreText", "CONNECT packet: the payload is not an object") },
    { QT_TRANSLATE_NOOP("CoreText", "EVENT packet") },
    { QT_TRANSLATE_NOOP("CoreText", "EVENT packet: the event's name is not a string") },
    { QT_TRANSLATE_NOOP("CoreText", "ACK packet without an id") },
    { QT_TRANSLATE_NOOP("CoreText", "ACK packet") },
    { QT_TRANSLATE_NOOP("CoreText", "CONNECT_ERROR packet") },
    { QT_TRANSLATE_NOOP("CoreText", "the namespace is longer than 1024 bytes") },
    { QT_TRANSLATE_NOOP("CoreText", "the namespace is not UTF-8") },
    { QT_TRANSLATE_NOOP("CoreText", "the acknowledgement id") },
    { QT_TRANSLATE_NOOP("CoreText", "unknown packet type") },
    { QT_TRANSLATE_NOOP("CoreText", "a namespace starts with '/' and has no comma") },
    { QT_TRANSLATE_NOOP("CoreText", "an acknowledgement id is not negative") },
    { QT_TRANSLATE_NOOP("CoreText", "an acknowledgement needs the id of its event") },
    { QT_TRANSLATE_NOOP("CoreText", "the event name \"%1\" is reserved") },
    { QT_TRANSLATE_NOOP("CoreText", "empty Engine.IO packet") },
    { QT_TRANSLATE_NOOP("CoreText", "unknown Engine.IO packet type") },
    { QT_TRANSLATE_NOOP("CoreText", "Engine.IO open packet: %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "Engine.IO open packet") },
    { QT_TRANSLATE_NOOP("CoreText", "it is not an object") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 is below 1 ms") },
    { QT_TRANSLATE_NOOP("CoreText", "maxPayload is below 1 byte") },
    { QT_TRANSLATE_NOOP("CoreText", "a text frame came while %1 attachments were missing") },
    { QT_TRANSLATE_NOOP("CoreText", "a packet of %1 bytes is above the limit of %2") },
    { QT_TRANSLATE_NOOP("CoreText", "empty Socket.IO packet") },
    { QT_TRANSLATE_NOOP("CoreText", "unknown Socket.IO packet type") },
    { QT_TRANSLATE_NOOP("CoreText", "the attachment count") },
    { QT_TRANSLATE_NOOP("CoreText", "binary packet without an attachment count") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 attachments are above the limit of %2") },
    { QT_TRANSLATE_NOOP("CoreText", "binary packet") },
    { QT_TRANSLATE_NOOP("CoreText", "a binary frame came that no packet announced") },
    { QT_TRANSLATE_NOOP("CoreText", "the attachments of a packet are above %1 bytes") },
    { QT_TRANSLATE_NOOP("CoreText", "the payload is nested deeper than %1 levels") },
    { QT_TRANSLATE_NOOP("CoreText", "the payload holds a number JSON cannot say") },
    { QT_TRANSLATE_NOOP("CoreText", "the payload holds a key that is no string") },
    { QT_TRANSLATE_NOOP("CoreText", "the payload holds a value JSON cannot say") },
    { QT_TRANSLATE_NOOP("CoreText", "no answer to \"%1\" within %2 ms") },
    { QT_TRANSLATE_NOOP("CoreText", "a placeholder names none of the %1 attachments") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 of %2 attachments have no placeholder") },
    { QT_TRANSLATE_NOOP("CoreText", "closed without the server's answer") },
    { QT_TRANSLATE_NOOP("CoreText", "no connection to %1 within %2 ms") },
    { QT_TRANSLATE_NOOP("CoreText", "no connection to %1 through the proxy %2:%3 within %4 ms") },
    { QT_TRANSLATE_NOOP("CoreText", "no ping from the server within %1 ms") },
    { QT_TRANSLATE_NOOP("CoreText", "stopped while connecting") },
    { QT_TRANSLATE_NOOP("CoreText", "the server did not begin with an Engine.IO open packet") },
    { QT_TRANSLATE_NOOP("CoreText", "the server closed the connection") },
    { QT_TRANSLATE_NOOP("CoreText", "Engine.IO packet of type %1 has no meaning here") },
    { QT_TRANSLATE_NOOP("CoreText", "more than %1 bytes received and not handled in time") },
    { QT_TRANSLATE_NOOP("CoreText", "the connection was closed (WebSocket code %1)") },
    { QT_TRANSLATE_NOOP("CoreText", "the connection was closed (WebSocket code %1: %2)") },
    { QT_TRANSLATE_NOOP("CoreText", "use an address such as https://workspace.example.org"), "",
        Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "the address is not a URL: %1") },
    { QT_TRANSLATE_NOOP(
        "CoreText", "the address must begin with http, https, ws or wss, not \"%1\"") },
    { QT_TRANSLATE_NOOP("CoreText", "the address names no host") },
};

} // namespace

std::span<const Sentence> linkSentences()
{
    return kSentences;
}

} // namespace deskhand::app::coretext
