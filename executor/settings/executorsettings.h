// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/sandbox/ownerpolicy.h"

#include <QHash>
#include <QJsonObject>
#include <QObject>
#include <QStringList>

namespace deskhand::settings {

/// A model the owner configured on this device. The key itself lives in the secret store under
/// `keySecret`. `values` has the spelling of a task's model_config, without the key.
struct OwnModel
{
    QString name;
    QJsonObject values;
    QString keySecret;
    [[nodiscard]] bool operator==(const OwnModel &other) const = default;
};

/// The executor's own settings ($H/settings.json, schema version 1). Defaults are the safe ones.
struct ExecutorSettings
{
    int parallelTasks = 2; ///< 1..16
    QString defaultProfile = QStringLiteral(":workspace"); ///< not above the ceiling
    QString ceiling = QStringLiteral(":workspace");
    int requestLimitMinutes = 15; ///< 0 = for ever, else 1..1440
    bool acceptTasks = true;
    bool engineWall = false; ///< hide the owner's secrets from the engine's whole process
    sandbox::OwnerPolicy sandbox; ///< of every run; key "sandbox" with an object
    QString codexPath; ///< empty = automatic, else absolute
    QList<OwnModel> models;
    QString defaultModel; ///< name in models, empty = the engine's account
    QStringList allowedRoots; ///< explicit work folders; empty = anywhere
    QString logLevel = QStringLiteral("info"); ///< trace, debug, info, warn, error
    [[nodiscard]] bool operator==(const ExecutorSettings &other) const = default;

    /// The form of the settings file, every key present. Holds no secret.
    [[nodiscard]] QJsonObject toJson() const;
};

/// Loads, checks, changes and stores ExecutorSettings. Unknown keys of the file survive a rewrite,
/// and so does a list with a bad entry until that very list is changed. A file that cannot be
/// read as JSON is kept aside (`settings.json.broken-<time>`) and named in the problem; a single
/// bad value keeps its default and is named. Lives on the thread that made it; file calls block.
class SettingsStore final : public QObject
{
    Q_OBJECT
public:
    explicit SettingsStore(const QString &file, QObject *parent = nullptr);
    /// Reads the file; a missing one means defaults. Problems are sentences for a person.
    /// Announces when anything differs from before.
    QStringList load();
    [[nodiscard]] ExecutorSettings current() const;
    /// Checks, stores atomically and announces. Usage error naming the key and the allowed range.
    /// Io when the file cannot be written: the new settings then count until the program ends.
    [[nodiscard]] Result<> update(const ExecutorSettings &settings);
    [[nodiscard]] static Result<> check(const ExecutorSettings &settings);

Q_SIGNALS:
    void changed(const deskhand::settings::ExecutorSettings &settings);

private:
    QString m_file;
    QJsonObject m_raw;
    ExecutorSettings m_current;
};

/// The owner's sandbox settings of a settings file, for programs that do not run the executor; a
/// missing file means defaults. Changes nothing on the disk. Unlike load(), one wrong value here is
/// an error: what the owner wants hidden must not be open because of a slip.
[[nodiscard]] Result<sandbox::OwnerPolicy> readOwnerPolicy(const QString &file);

} // namespace deskhand::settings

Q_DECLARE_METATYPE(deskhand::settings::ExecutorSettings)
