// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/doctorcommand.h"

#include "executor/cli/exitcodes.h"
#include "executor/common/atomicfile.h"
#include "executor/common/jsonreader.h"
#include "executor/control/homelock.h"
#include "executor/control/protocol.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QNetworkReply>
#include <QStandardPaths>
#include <QStorageInfo>
#include <QTemporaryFile>

namespace deskhand::cli {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr qint64 kMaxConfigBytes = 1024 * 1024;
constexpr qint64 kMebibyte = 1024 * 1024;
constexpr qint64 kLowDisk = 2048 * kMebibyte;
constexpr qint64 kNoDisk = 100 * kMebibyte;
constexpr auto kShellLimit = 10s;
constexpr auto kVersionLimit = 5s;
constexpr auto kBackendLimit = 8s;
constexpr qint64 kClockSkewSeconds = 90;

/// The folder itself, or the nearest parent that exists.
QString existingParent(const QString &path)
{
    QString folder = path;
    while (!QFileInfo::exists(folder)) {
        const QString parent = QFileInfo(folder).path();
        if (parent == folder) {
            break;
        }
        folder = parent;
    }
    return folder;
}

} // namespace

DoctorCommand::DoctorCommand(Invocation given, ExecutorHome home, Output &output)
    : Command(std::move(given), std::move(home), output)
{ }

DoctorCommand::~DoctorCommand()
{
    if (m_version.state() != QProcess::NotRunning) {
        m_version.disconnect(this);
        m_version.kill();
        m_version.waitForFinished(1000);
    }
}

void DoctorCommand::report(
    const QString &name, Verdict verdict, const QString &message, const QString &hint)
{
    m_findings.append(Finding { name, verdict, message, hint });
}

void DoctorCommand::start()
{
    m_open = 4;
    lookAtHome();
    lookAtDisk();
    lookAtPath();
    lookAtIdentity();
    lookAtProgram();
    lookAtSandbox();
    lookAtEngine();
    lookAtBackend();
}

void DoctorCommand::lookAtHome()
{
    const QString root = home().root;
    const QString nearest = existingParent(root);
    QTemporaryFile probe(nearest + u"/.deskhand-doctor-XXXXXX"_s);
    if (!QFileInfo(nearest).isDir()) {
        report(u"home"_s, Verdict::Fail, u"%1 is not a folder"_s.arg(nearest),
            u"Remove it, or set WEGENT_EXECUTOR_HOME to another folder."_s);
    } else if (!probe.open()) {
        report(u"home"_s, Verdict::Fail,
            u"%1 cannot be written: %2"_s.arg(nearest, probe.errorString()),
            u"Make it writable for you, or set WEGENT_EXECUTOR_HOME to a folder that is."_s);
    } else {
        report(u"home"_s, Verdict::Ok, nearest == root ? root : root + u" (will be created)"_s);
    }
}

void DoctorCommand::lookAtDisk()
{
    const QStorageInfo disk(existingParent(home().root));
    const qint64 free = disk.bytesAvailable();
    const QString text = u"%1 MiB free on %2"_s.arg(free / kMebibyte).arg(disk.rootPath());
    if (!disk.isValid() || free < 0) {
        report(u"disk"_s, Verdict::Warn, u"the free space cannot be read"_s);
    } else if (free < kLowDisk) {
        report(u"disk"_s, free < kNoDisk ? Verdict::Fail : Verdict::Warn, text,
            u"Make room: tasks need space for code, caches and the journal."_s);
    } else {
        report(u"disk"_s, Verdict::Ok, text);
    }
}

void DoctorCommand::lookAtPath()
{
    const QString path = qEnvironmentVariable("PATH");
    if (QStandardPaths::findExecutable(u"git"_s).isEmpty()) {
        report(u"path"_s, Verdict::Warn, u"git is not on the PATH: %1"_s.arg(path),
            u"Install git; tasks with a repository need it."_s);
    } else {
        report(u"path"_s, Verdict::Ok, path);
    }
}

void DoctorCommand::lookAtIdentity()
{
    QJsonObject config;
    const Result<QByteArray> content = readFileLimited(home().deviceConfigFile(), kMaxConfigBytes);
    if (content) {
        const Result<QJsonObject> parsed = json::parseObject(*content);
        if (parsed) {
            config = *parsed;
        } else {
            report(u"device-config"_s, Verdict::Fail,
                u"%1: %2"_s.arg(home().deviceConfigFile(), parsed.error().message),
                u"Correct the file, or remove it to begin anew."_s);
        }
    } else if (content.error().kind != ErrorKind::NotFound) {
        report(u"device-config"_s, Verdict::Fail, content.error().message,
            u"Make the file readable for you."_s);
    }
    const QJsonObject connection = config.value("connection"_L1).toObject();
    const auto setting = [&connection](const char *variable, QLatin1StringView key) {
        const QString set = qEnvironmentVariable(variable).trimmed();
        return set.isEmpty() ? connection.value(key).toString().trimmed() : set;
    };
    const QString backend = setting("WEGENT_BACKEND_URL", "backend_url"_L1);
    if (backend.isEmpty()) {
        report(u"backend"_s, Verdict::Ok, u"none configured; only local tasks"_s);
        oneDone();
        return;
    }
    m_backend = QUrl(backend);
    if (!setting("WEGENT_AUTH_TOKEN", "auth_token"_L1).isEmpty()) {
        report(u"sign-in"_s, Verdict::Ok,
            qEnvironmentVariableIsEmpty("WEGENT_AUTH_TOKEN")
                ? u"a token is in device-config.json"_s
                : u"a token is in WEGENT_AUTH_TOKEN"_s);
    } else if (QFileInfo::exists(home().secretsFile())) {
        report(u"sign-in"_s, Verdict::Ok, u"secrets are kept in %1"_s.arg(home().secretsFile()));
    } else {
        report(u"sign-in"_s, Verdict::Warn, u"no token is stored for this program"_s,
            u"Sign in with: deskhand-executor login"_s);
    }
}

void DoctorCommand::lookAtProgram()
{
    const auto holder = control::HomeLock::holder(home());
    if (!holder) {
        report(u"program"_s, Verdict::Ok, u"none runs for this folder"_s);
        oneDone();
        return;
    }
    const QString who
        = u"%1 (pid %2)"_s.arg(holder->program.isEmpty() ? u"a program"_s : holder->program)
              .arg(holder->pid);
    m_program = std::make_unique<ProgramConnection>(home());
    m_program->open([this, who](const Result<> &opened) {
        if (!opened) {
            report(u"program"_s, Verdict::Fail, who + u": "_s + opened.error().message,
                u"Quit it and start it again."_s);
            oneDone();
            return;
        }
        m_program->client().call(
            control::method::status, {}, this, [this, who](const Result<QJsonObject> &status) {
                if (!status) {
                    report(u"program"_s, Verdict::Fail, who + u": "_s + status.error().message,
                        u"Quit it and start it again."_s);
                } else {
                    const QString link
                        = status->value("link"_L1).toObject().value("state"_L1).toString();
                    report(u"program"_s, Verdict::Ok, who + u" runs, link "_s + link);
                    for (const QJsonValue &problem : status->value("problems"_L1).toArray()) {
                        report(u"program"_s, Verdict::Warn, problem.toString());
                    }
                }
                oneDone();
            });
    });
}

void DoctorCommand::lookAtSandbox()
{
    m_probe = std::make_unique<sandbox::Probe>();
    connect(m_probe.get(), &sandbox::Probe::finished, this,
        [this](const sandbox::SandboxStatus &status) {
            Verdict verdict = Verdict::Warn;
            if (status.state == sandbox::SandboxState::Protected) {
                verdict = Verdict::Ok;
            } else if (status.state == sandbox::SandboxState::Unavailable) {
                verdict = Verdict::Fail;
            }
            report(u"sandbox"_s, verdict, status.summary(), status.fix);
            oneDone();
        });
    m_probe->start();
}

void DoctorCommand::lookAtEngine()
{
    m_locator = std::make_unique<engines::codex::BinaryLocator>(
        QProcessEnvironment::systemEnvironment(), kShellLimit);
    m_locator->setOwnersChoice(
        readFileLimited(home().settingsFile(), kMaxConfigBytes)
            .and_then([](const QByteArray &content) { return json::parseObject(content); })
            .map([](const QJsonObject &file) { return file.value("codex_path"_L1).toString(); })
            .value_or(QString()));
    m_locator->locate([this](const Result<engines::codex::LocatedBinary> &found) {
        if (found) {
            askVersion(found->path, found->origin);
            return;
        }
        report(u"engine"_s, Verdict::Fail, found.error().message,
            found.error().hint.isEmpty() ? u"Install Codex, or set CODEX_BINARY_PATH."_s
                                         : found.error().hint);
        oneDone();
    });
}

void DoctorCommand::askVersion(const QString &program, const QString &origin)
{
    const auto done = [this, program, origin](const QString &version, const QString &trouble) {
        m_versionLimit.stop();
        m_version.disconnect(this);
        const QString where = u"%1 (from %2)"_s.arg(program, origin);
        if (trouble.isEmpty()) {
            report(u"engine"_s, Verdict::Ok, version + u" at "_s + where);
        } else {
            report(u"engine"_s, Verdict::Fail, where + u": "_s + trouble,
                u"Install Codex again, or set CODEX_BINARY_PATH to one that works."_s);
        }
        oneDone();
    };
    connect(&m_version, &QProcess::errorOccurred, this, [this, done](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            done({}, m_version.errorString());
        }
    });
    connect(&m_version, &QProcess::finished, this, [this, done](int code) {
        const QString said = oneLine(QString::fromUtf8(m_version.readAllStandardOutput()), 100);
        done(said, code == 0 && !said.isEmpty() ? QString() : u"--version failed"_s);
    });
    m_versionLimit.setSingleShot(true);
    connect(&m_versionLimit, &QTimer::timeout, this, [this, done] {
        done({}, u"--version did not end in time"_s);
        m_version.kill();
    });
    m_versionLimit.start(kVersionLimit);
    m_version.setStandardInputFile(QProcess::nullDevice());
    m_version.setStandardErrorFile(QProcess::nullDevice());
    m_version.start(program, { u"--version"_s });
}

void DoctorCommand::lookAtBackend()
{
    if (m_backend.isEmpty()) {
        return;
    }
    if (!m_backend.isValid() || m_backend.host().isEmpty()
        || (m_backend.scheme() != u"https"_s && m_backend.scheme() != u"http"_s)) {
        report(u"backend"_s, Verdict::Fail,
            u"\"%1\" is no http or https address"_s.arg(
                m_backend.toDisplayString(QUrl::RemoveUserInfo)),
            u"Correct WEGENT_BACKEND_URL or connection.backend_url in device-config.json."_s);
        oneDone();
        return;
    }
    const QString host
        = m_backend.host() + (m_backend.port() < 0 ? QString() : u":%1"_s.arg(m_backend.port()));
    m_network = std::make_unique<QNetworkAccessManager>();
    QNetworkRequest request(m_backend);
    request.setTransferTimeout(std::chrono::milliseconds(kBackendLimit).count());
    QNetworkReply *reply = m_network->head(request);
    connect(reply, &QNetworkReply::finished, this, [this, reply, host] {
        reply->deleteLater();
        const QVariant status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute);
        if (!status.isValid()) {
            const bool slow = reply->error() == QNetworkReply::OperationCanceledError;
            report(u"backend"_s, Verdict::Fail,
                u"%1 cannot be reached: %2"_s.arg(
                    host, slow ? u"no answer in time"_s : reply->errorString()),
                u"Check the address, the network, the proxy and the VPN."_s);
        } else {
            report(u"backend"_s, Verdict::Ok, u"%1 answers"_s.arg(host));
            const QDateTime there = QDateTime::fromString(
                QString::fromLatin1(reply->rawHeader("Date")), Qt::RFC2822Date);
            const qint64 skew
                = there.isValid() ? qAbs(there.secsTo(QDateTime::currentDateTimeUtc())) : 0;
            if (skew > kClockSkewSeconds) {
                report(u"clock"_s, Verdict::Warn,
                    u"this computer's clock is %1 s away from %2"_s.arg(skew).arg(host),
                    u"Set the clock; sign-ins may fail."_s);
            }
        }
        oneDone();
    });
}

void DoctorCommand::oneDone()
{
    if (--m_open == 0) {
        // Not from inside the start or a callback of the last look.
        QMetaObject::invokeMethod(this, &DoctorCommand::show, Qt::QueuedConnection);
    }
}

void DoctorCommand::show()
{
    const auto word = [](Verdict verdict) {
        switch (verdict) {
        case Verdict::Ok:
            return u"ok"_s;
        case Verdict::Warn:
            return u"warn"_s;
        case Verdict::Fail:
            break;
        }
        return u"fail"_s;
    };
    QJsonArray checks;
    bool failed = false;
    for (const Finding &finding : std::as_const(m_findings)) {
        failed = failed || finding.verdict == Verdict::Fail;
        if (output().json()) {
            QJsonObject check { { u"name"_s, finding.name }, { u"result"_s, word(finding.verdict) },
                { u"message"_s, finding.message } };
            if (!finding.hint.isEmpty()) {
                check.insert(u"hint"_s, finding.hint);
            }
            checks.append(check);
            continue;
        }
        output().line(u"%1 %2 %3"_s.arg(word(finding.verdict), -5)
                          .arg(finding.name + u':', -15)
                          .arg(oneLine(finding.message, 1000)));
        if (!finding.hint.isEmpty()) {
            output().line(u"%1 %2"_s.arg(QString(), -21).arg(oneLine(finding.hint, 500)));
        }
    }
    if (output().json()) {
        output().jsonLine(QJsonObject { { u"ok"_s, !failed }, { u"checks"_s, checks } });
    }
    finish(failed ? kFailed : kOk);
}

} // namespace deskhand::cli
