// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <tl/expected.hpp>

namespace deskhand {

/// What kind of thing went wrong; code switches on this, never on text.
enum class ErrorKind {
    Cancelled, ///< someone asked for it to stop
    Timeout, ///< a time limit passed
    Network, ///< no route, refused, cut
    Protocol, ///< the peer said something that cannot be understood
    Auth, ///< the peer refuses who we are
    Io, ///< files, disks, permissions of the file system
    Process, ///< a child process could not start or died
    Usage, ///< the caller asked for something malformed
    NotFound, ///< the thing named does not exist
    Conflict, ///< somebody else holds it, or it is already decided
    Policy, ///< the owner's ceiling or a built-in block forbids it
    Unavailable, ///< needed here and not there (no sandbox, no key store, no engine)
    Internal ///< our own fault
};

/// A failure as it travels: kind for code, what happened for a person or a log (English, without
/// secrets), and the one next step when there is one. Value type, any thread.
struct Error
{
    ErrorKind kind = ErrorKind::Internal;
    QString message;
    QString hint = {};

    /// The same failure with the situation put in front: "reading X: <message>".
    [[nodiscard]] Error within(const QString &context) const;
};

/// Stable lower-case word for logs and JSON, e.g. "not_found".
[[nodiscard]] QString errorKindName(ErrorKind kind);

template <typename T = void> using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> failure(
    ErrorKind kind, QString message, QString hint = {})
{
    return tl::unexpected<Error>(Error { kind, std::move(message), std::move(hint) });
}

} // namespace deskhand
