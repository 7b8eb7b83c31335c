// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/codex/codexengine.h"
#include "executor/engines/engine.h"

#include <QHash>
#include <QObject>
#include <QTemporaryDir>

#include <memory>

namespace deskhand::testing {

/// Routes that lead straight to the scripted model, in place of the model proxy.
class DirectRoutes final : public engines::ModelRoutes
{
public:
    [[nodiscard]] Result<engines::ModelRoute> acquire(
        const QString &scope, const engines::ModelConfig &model) override;
    void bindThread(const QString &scope, const QString &threadId) override;
    void release(const QString &scope) override;

    [[nodiscard]] std::optional<engines::RouteFailure> lastFailure(const QString &) const override
    {
        return failure;
    }

    QString bearer;
    std::optional<engines::RouteFailure> failure; ///< what the proxy would have seen
    QHash<QString, QString> threads; ///< scope -> thread
    QStringList released;
};

/// A codex engine in a home of its own, and a record of everything it says.
class EngineBench final : public QObject
{
    Q_OBJECT
public:
    /// `program` is what CODEX_BINARY_PATH names.
    explicit EngineBench(
        const QString &program, engines::codex::Timings timings = {}, QObject *parent = nullptr);

    ~EngineBench() override;

    /// The native program below $DESKHAND_PEERS; empty when it is not installed.
    [[nodiscard]] static QString realCodex();
    /// The program that replays recorded conversations.
    [[nodiscard]] static QString fakeCodex();

    [[nodiscard]] engines::TurnSpec turn(
        const QString &turnId, const QString &prompt, const QString &baseUrl = {}) const;
    void restartEngine();

    [[nodiscard]] QString workFolder() const;
    [[nodiscard]] QString homeFolder() const;

    template <typename T> [[nodiscard]] QList<T> all(const QString &turnId) const
    {
        QList<T> found;
        for (const engines::TaskEvent &event : events.value(turnId)) {
            if (const T *one = std::get_if<T>(&event)) {
                found.append(*one);
            }
        }
        return found;
    }
    /// True once the turn has ended.
    [[nodiscard]] bool over(const QString &turnId) const;
    [[nodiscard]] engines::TurnEnded ending(const QString &turnId) const;
    [[nodiscard]] QString threadOf(const QString &turnId) const;
    /// All text that was streamed, messages separated by "|".
    [[nodiscard]] QString streamed(const QString &turnId) const;

    QHash<QString, QList<engines::TaskEvent>> events; ///< by turn id
    QList<engines::PermissionRequest> requests;
    QList<std::pair<QString, QString>> withdrawn;
    QList<std::pair<QString, QString>> delivered;
    int stops = 0;
    DirectRoutes routes;
    engines::codex::CodexOptions options;
    std::unique_ptr<engines::codex::CodexEngine> engine;

private:
    QTemporaryDir m_root;
};

} // namespace deskhand::testing
