// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QObject>
#include <QString>

#include <chrono>
#include <functional>
#include <memory>

namespace deskhand::settings {

enum class SecretsState { Ready, Locked, Missing, SessionOnly };
/// "ready", "locked", "missing", "session_only".
[[nodiscard]] QString secretsStateName(SecretsState state);

/// Keeps tokens and keys by name. Calls return at once; callbacks come on the caller's (the
/// object's) thread, each within the store's time limit, else with a Timeout error.
class SecretStore : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;
    /// An absent secret is an empty string, not an error. Writing an empty one removes it.
    virtual void read(const QString &name, const std::function<void(const Result<QString> &)> &done)
        = 0;
    virtual void write(const QString &name, const QString &value,
        const std::function<void(const Result<> &)> &done)
        = 0;
    virtual void remove(const QString &name, const std::function<void(const Result<> &)> &done) = 0;
    /// As of the last answer; Ready before the first one.
    [[nodiscard]] virtual SecretsState state() const = 0;
    /// "the system's key store", "a file only you can read", "this session only".
    [[nodiscard]] virtual QString place() const = 0;

Q_SIGNALS:
    void stateChanged(deskhand::settings::SecretsState state);
};

/// The system's key store through QtKeychain; every call has the time limit. In a library of its
/// own (deskhand_keychain), so that a program without a desktop does not load D-Bus for it.
[[nodiscard]] std::unique_ptr<SecretStore> makeKeychainStore(
    const QString &service, std::chrono::milliseconds limit);
/// A 0600 file below $H; only by the owner's explicit choice, or for programs without a desktop.
[[nodiscard]] std::unique_ptr<SecretStore> makeFileStore(const QString &file);
/// Memory only.
[[nodiscard]] std::unique_ptr<SecretStore> makeSessionStore();

} // namespace deskhand::settings
