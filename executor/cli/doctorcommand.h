// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/command.h"
#include "executor/cli/programconnection.h"
#include "executor/engines/codex/binarylocator.h"
#include "executor/sandbox/probe.h"

#include <QNetworkAccessManager>
#include <QProcess>
#include <QTimer>
#include <QUrl>

#include <memory>

namespace deskhand::cli {

/// `doctor`: looks at everything a task needs on this computer and says what to do where something
/// is missing. Changes nothing; a running program goes on undisturbed. Each look has its limit.
class DoctorCommand final : public Command
{
    Q_OBJECT
public:
    DoctorCommand(Invocation invocation, ExecutorHome home, Output &output);
    ~DoctorCommand() override;
    void start() override;

private:
    enum class Verdict { Ok, Warn, Fail };
    struct Finding
    {
        QString name;
        Verdict verdict = Verdict::Ok;
        QString message;
        QString hint;
    };

    void report(
        const QString &name, Verdict verdict, const QString &message, const QString &hint = {});
    void lookAtHome();
    void lookAtDisk();
    void lookAtPath();
    void lookAtIdentity();
    void lookAtProgram();
    void lookAtSandbox();
    void lookAtEngine();
    void askVersion(const QString &program, const QString &origin);
    void lookAtBackend();
    /// One of the looks that take time is over; after the last one everything is shown.
    void oneDone();
    void show();

    QList<Finding> m_findings;
    int m_open = 0;
    QUrl m_backend; ///< empty: none configured
    std::unique_ptr<ProgramConnection> m_program;
    std::unique_ptr<sandbox::Probe> m_probe;
    std::unique_ptr<engines::codex::BinaryLocator> m_locator;
    QProcess m_version;
    QTimer m_versionLimit;
    std::unique_ptr<QNetworkAccessManager> m_network;
};

} // namespace deskhand::cli
