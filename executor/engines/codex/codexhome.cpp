// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/codexhome.h"

#include "executor/common/atomicfile.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

using namespace Qt::StringLiterals;

namespace deskhand::engines::codex {

namespace {

constexpr auto kOwnerOnly
    = QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner;

Result<> makePrivateFolder(const QString &path)
{
    if (!QDir().mkpath(path)) {
        return failure(ErrorKind::Io, u"the engine's folder %1 cannot be created"_s.arg(path),
            u"Check the permissions and the free space of the folder above."_s);
    }
    if (!QFile::setPermissions(path, kOwnerOnly) || !QFileInfo(path).isWritable()) {
        return failure(ErrorKind::Io, u"the engine's folder %1 is not writable"_s.arg(path),
            u"Check who owns it."_s);
    }
    return {};
}

// What codex tells the model about its work when the model has no entry of its own.
constexpr auto kInstructions
    = "You are a coding agent working in a folder on the user's computer. Use the tools you are "
      "given: run commands to look around and to check your work, and apply_patch to change "
      "files. Read before you change. Keep changes small and in the style of the code around "
      "them. Do what was asked and nothing beyond it; when the request leaves something open "
      "that matters, ask. Run the tests or the build that show whether your change works, and say "
      "plainly when something fails or was not checked. Commands run in a sandbox; when one needs "
      "more, ask for it with a reason. Before longer work say in a sentence what you are about to "
      "do. End with a short summary of what changed and why, naming files by their paths."_L1;

} // namespace

CodexHome::CodexHome(QString folder)
    : m_folder(std::move(folder))
    , m_lock(m_folder + "/.engine.lock"_L1)
{
    m_lock.setStaleLockTime(0); // a holder that lives is never robbed, however old its lock
}

Result<std::unique_ptr<CodexHome>> CodexHome::open(const QString &folder)
{
    const QString clean = QDir::cleanPath(QDir(folder).absolutePath());
    std::unique_ptr<CodexHome> home(new CodexHome(clean));
    for (const QString &path : { clean, home->codexHome(), home->temporaryFolder() }) {
        if (const Result<> made = makePrivateFolder(path); !made) {
            return tl::unexpected<Error>(made.error());
        }
    }
    if (!home->m_lock.tryLock(0)) {
        qint64 pid = 0;
        QString host;
        QString program;
        if (home->m_lock.error() != QLockFile::LockFailedError
            || !home->m_lock.getLockInfo(&pid, &host, &program)) {
            return failure(ErrorKind::Io, u"the engine's folder %1 cannot be locked"_s.arg(clean),
                u"Check the permissions of the folder."_s);
        }
        return failure(ErrorKind::Conflict,
            u"the engine's folder %1 is in use by %2 (process %3)"_s.arg(clean, program).arg(pid),
            u"Stop that program first."_s);
    }
    return home;
}

Result<QString> CodexHome::writeCatalog(const ModelConfig &model, const QString &slug) const
{
    const qint64 window = model.contextWindow > 0 ? model.contextWindow : 262'144;
    QJsonObject entry {
        { u"slug"_s, slug },
        { u"display_name"_s, slug },
        { u"shell_type"_s, u"shell_command"_s },
        { u"visibility"_s, u"none"_s },
        { u"supported_in_api"_s, true },
        { u"priority"_s, 10'000 },
        { u"base_instructions"_s, QString(kInstructions) },
        { u"supports_reasoning_summaries"_s, true },
        { u"supports_reasoning_summary_parameter"_s, true },
        { u"default_reasoning_summary"_s, u"auto"_s },
        { u"support_verbosity"_s, false },
        { u"apply_patch_tool_type"_s, u"freeform"_s },
        { u"web_search_tool_type"_s, u"text"_s },
        { u"truncation_policy"_s,
            QJsonObject { { u"mode"_s, u"tokens"_s }, { u"limit"_s, 10'000 } } },
        { u"supports_parallel_tool_calls"_s, true },
        { u"context_window"_s, window },
        { u"max_context_window"_s, window },
        { u"input_modalities"_s, QJsonArray { u"text"_s, u"image"_s } },
        { u"supported_reasoning_levels"_s, QJsonArray() },
        { u"experimental_supported_tools"_s, QJsonArray() },
    };
    const QByteArray content
        = QJsonDocument(QJsonObject { { u"models"_s, QJsonArray { entry } } }).toJson();
    const QByteArray digest
        = QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex().left(16);
    const QString path = m_folder + u"/catalogs/%1.json"_s.arg(QString::fromLatin1(digest));
    if (QFileInfo::exists(path)) {
        return path; // the name is the content's digest
    }
    if (const Result<> written = writeFileAtomically(path, content); !written) {
        return tl::unexpected<Error>(written.error().within(u"writing the model's catalog"_s));
    }
    return path;
}

QJsonObject untrustedProjects(const QString &cwd)
{
    const QJsonObject untrusted { { u"trust_level"_s, u"untrusted"_s } };
    QJsonObject projects { { cwd, untrusted } };
    const QString canonical = QFileInfo(cwd).canonicalFilePath();
    if (!canonical.isEmpty()) {
        projects.insert(canonical, untrusted);
    }
    QDir folder(canonical.isEmpty() ? cwd : canonical);
    do {
        if (folder.exists(u".git"_s)) {
            projects.insert(folder.absolutePath(), untrusted);
            break;
        }
    } while (folder.cdUp());
    return projects;
}

} // namespace deskhand::engines::codex
