// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QStringList>

namespace deskhand::app {

/// An address as typed, judged: the form that is stored, or why it cannot be.
struct AddressVerdict
{
    QString address; ///< normalised; empty when there is an error or nothing was typed
    QString error;
    QString warning; ///< allowed, but worth knowing
};

/// Judges addresses the owner types. Pure; main thread because of translation.
class AddressCheck final
{
    Q_DECLARE_TR_FUNCTIONS(deskhand::app::AddressCheck)
public:
    /// A server: "host", "https://host/path"; without encryption only on private networks.
    [[nodiscard]] static AddressVerdict server(const QString &text);
    /// The same for a socket: ws and wss are fine too; empty is allowed.
    [[nodiscard]] static AddressVerdict socket(const QString &text);
    /// A model's base address: a full endpoint pasted is cut back to its base.
    [[nodiscard]] static AddressVerdict model(const QString &text);

private:
    [[nodiscard]] static AddressVerdict check(const QString &text, const QStringList &schemes);
};

} // namespace deskhand::app
