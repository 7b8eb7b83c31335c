// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/settings/secretstore.h"

#include <QHash>
#include <QStringList>

#include <memory>
#include <vector>

namespace deskhand::settings {

/// The secret store in use, which the owner may change while calls are under way: a store that was
/// replaced stays until its last answer was told, so every callback comes exactly once. Owner: the
/// core; its thread. Callbacks still open when the shelf itself goes are dropped.
class SecretShelf final : public SecretStore
{
    Q_OBJECT
public:
    explicit SecretShelf(std::unique_ptr<SecretStore> store, QObject *parent = nullptr);
    ~SecretShelf() override;

    void read(
        const QString &name, const std::function<void(const Result<QString> &)> &done) override;
    void write(const QString &name, const QString &value,
        const std::function<void(const Result<> &)> &done) override;
    void remove(const QString &name, const std::function<void(const Result<> &)> &done) override;
    [[nodiscard]] SecretsState state() const override;
    [[nodiscard]] QString place() const override;

    /// Takes the named secrets along and uses `next` from then on; when they cannot be written
    /// there, everything stays as it was. `known` are values that need not be read. What the old
    /// store does not give within its limit stays behind: it is often the reason for the change.
    /// Conflict while another move is under way.
    void moveTo(std::unique_ptr<SecretStore> next, const QStringList &names,
        const QHash<QString, QString> &known, const std::function<void(const Result<> &)> &done);

private:
    struct Kept
    {
        std::unique_ptr<SecretStore> store;
        int open = 0; ///< calls without an answer
    };
    struct Move;

    template <typename Outcome>
    [[nodiscard]] std::function<void(const Outcome &)> counted(
        Kept &kept, const std::function<void(const Outcome &)> &done);
    Kept &add(std::unique_ptr<SecretStore> store);
    void writeAll(const std::shared_ptr<Move> &move);
    void finishMove(const std::shared_ptr<Move> &move);
    void sweep();

    std::vector<std::unique_ptr<Kept>> m_kept;
    Kept *m_current = nullptr;
    Kept *m_next = nullptr; ///< of the move under way
};

} // namespace deskhand::settings
