// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/globmatcher.h"
#include "executor/sandbox/ownerpolicy.h"
#include "executor/tasks/pathscope_p.h"
#include "executor/tasks/safetyrules_p.h"
#include "executor/tasks/shellwords_p.h"

#include <QCoreApplication>
#include <QDir>
#include <QJsonArray>
#include <QRegularExpression>

#include <algorithm>

namespace deskhand::tasks {
namespace {

using namespace Qt::StringLiterals;

constexpr int kDeepest = 8; ///< shells within shells
constexpr int kMostBraceForms = 64;

const QStringList &shells()
{
    static const QStringList list { u"sh"_s, u"bash"_s, u"zsh"_s, u"dash"_s, u"ksh"_s, u"fish"_s,
        u"pwsh"_s, u"powershell"_s, u"cmd"_s };
    return list;
}

const QStringList &interpreters()
{
    static const QStringList list { u"python"_s, u"python3"_s, u"node"_s, u"perl"_s, u"ruby"_s,
        u"php"_s };
    return list;
}

/// Programs that run the program named in their arguments.
const QStringList &wrappers()
{
    static const QStringList list { u"sudo"_s, u"doas"_s, u"pkexec"_s, u"su"_s, u"env"_s,
        u"nohup"_s, u"timeout"_s, u"xargs"_s, u"command"_s, u"exec"_s, u"time"_s, u"nice"_s,
        u"ionice"_s, u"stdbuf"_s, u"setsid"_s, u"builtin"_s, u"busybox"_s, u"chroot"_s,
        u"unshare"_s, u"runuser"_s };
    return list;
}

const QStringList &readers()
{
    static const QStringList list { u"cat"_s, u"ls"_s, u"less"_s, u"more"_s, u"head"_s, u"tail"_s,
        u"grep"_s, u"rg"_s, u"stat"_s, u"file"_s, u"wc"_s, u"diff"_s, u"du"_s, u"test"_s, u"["_s,
        u"echo"_s, u"printf"_s, u"cd"_s, u"realpath"_s, u"readlink"_s, u"basename"_s,
        u"dirname"_s };
    return list;
}

/// Programs that only look at names, not at contents.
const QStringList &listers()
{
    static const QStringList list { u"ls"_s, u"stat"_s, u"test"_s, u"["_s, u"cd"_s, u"echo"_s,
        u"printf"_s, u"realpath"_s, u"readlink"_s, u"basename"_s, u"dirname"_s };
    return list;
}

QString programName(const ShellWord &word)
{
    QString name = word.text.mid(word.text.lastIndexOf(u'/') + 1);
    name = name.mid(name.lastIndexOf(u'\\') + 1).toLower();
    if (name.endsWith(".exe"_L1)) {
        name.chop(4);
    }
    return name;
}

void addRisk(SafetyRules::Findings &findings, const QString &risk)
{
    if (!findings.risks.contains(risk)) {
        findings.risks.append(risk);
    }
}

void block(SafetyRules::Findings &findings, const QString &reason)
{
    if (findings.blocked.isEmpty()) {
        findings.blocked = reason;
    }
}

/// "a{b,c}" -> "ab", "ac"; the same for the braces inside.
QStringList braceForms(const QString &text)
{
    QStringList forms { text };
    for (int round = 0; round < kMostBraceForms && forms.size() < kMostBraceForms; ++round) {
        static const QRegularExpression braces(u"\\{([^{}]*,[^{}]*)\\}"_s);
        const auto found = std::find_if(
            forms.begin(), forms.end(), [](const QString &form) { return form.contains(braces); });
        if (found == forms.end()) {
            break;
        }
        const QString form = *found;
        forms.erase(found);
        const auto match = braces.match(form);
        const QStringList pieces = match.captured(1).split(u',');
        for (const QString &piece : pieces) {
            forms.append(form.left(match.capturedStart()) + piece + form.mid(match.capturedEnd()));
        }
    }
    return forms;
}

bool looksProtected(const QString &path)
{
    static const QRegularExpression names(
        u"(^|/)(\\.git/hooks(/|$)|\\.env[^/]*$|\\.ssh(/|$)|id_(rsa|dsa|ecdsa|ed25519)[^/]*$"
        "|[^/]*\\.(pem|key|p12|pfx|kdbx)$)"_s);
    return path.contains(names);
}

bool isDownloader(const QString &program)
{
    static const QStringList list { u"curl"_s, u"wget"_s, u"fetch"_s, u"iwr"_s, u"irm"_s,
        u"invoke-webrequest"_s, u"invoke-restmethod"_s, u"aria2c"_s };
    return list.contains(program);
}

bool runsCode(const QString &program)
{
    return shells().contains(program) || interpreters().contains(program) || program == "eval"_L1
        || program == "source"_L1 || program == "."_L1 || program == "iex"_L1
        || program == "invoke-expression"_L1;
}

const QString kDownloadsAndRuns = u"downloads and runs code"_s;
const QString kDeletes = u"deletes files"_s;

} // namespace

struct SafetyRules::Scope
{
    QString cwd; ///< empty after a "cd" to somewhere unknown
    QHash<QString, QString> variables;
    int depth = 0;
    bool downloads = false; ///< a downloader stands earlier in the line
};

SafetyRules::SafetyRules(const ExecutorHome &home)
    : m_userHome(realPath(QDir::homePath()))
    , m_root(realPath(home.root))
{
    m_open = { realPath(home.workspaceRoot()), m_root + u"/cache"_s, m_root + u"/agents"_s };
    m_ours = { m_root, realPath(QCoreApplication::applicationFilePath()) };
    m_secrets
        = { m_root + u"/device-config.json"_s, realPath(m_userHome + u"/.local/share/keyrings"_s),
              realPath(m_userHome + u"/.local/share/kwalletd"_s),
              realPath(m_userHome + u"/Library/Keychains"_s) };
}

bool SafetyRules::isOurs(const QString &path) const
{
    if (liesIn(path, m_root + u"/agents"_s)) {
        // The engine's homes hold its configuration, sign-in and rules beside harmless things.
        static const QRegularExpression guarded(
            u"^/[^/]+(/(config\\.toml|auth\\.json|rules(/.*)?))?$"_s);
        return path.mid(m_root.size() + 7).contains(guarded) || path == m_root + u"/agents"_s;
    }
    const bool open = std::any_of(
        m_open.begin(), m_open.end(), [&path](const QString &root) { return liesIn(path, root); });
    return !open && std::any_of(m_ours.begin(), m_ours.end(), [&path](const QString &root) {
        return liesIn(path, root);
    });
}

bool SafetyRules::isSecret(const QString &path) const
{
    if (liesIn(path, m_root)) {
        const QString name = path.mid(path.lastIndexOf(u'/') + 1);
        const bool open = liesIn(path, m_open.first());
        if (!open && (name.contains("secret"_L1, Qt::CaseInsensitive) || name == "auth.json"_L1)) {
            return true;
        }
    }
    return std::any_of(m_secrets.begin(), m_secrets.end(),
        [&path](const QString &secret) { return liesIn(path, secret); });
}

void SafetyRules::setOwnerSecrets(const QStringList &paths)
{
    m_ownerSecrets.clear();
    const auto add = [this](const QString &path) {
        const qsizetype slash = path.lastIndexOf(u'/');
        m_ownerSecrets.append({ path.left(slash), path.mid(slash + 1) });
    };
    for (const QString &text : paths) {
        QString path = QDir::cleanPath(text);
        if (path.startsWith("~/"_L1)) {
            path.replace(0, 1, m_userHome);
        }
        const qsizetype slash = path.lastIndexOf(u'/');
        add(realPath(path.left(slash)) + path.mid(slash));
        // Where it leads, when it is a link itself.
        if (const QString real = realPath(path); real != path) {
            add(real);
        }
    }
}

bool SafetyRules::isOwnerSecret(const QString &path) const
{
    return std::any_of(m_ownerSecrets.begin(), m_ownerSecrets.end(), [&path](const auto &secret) {
        const QString below = secret.first == "/"_L1 ? secret.first : secret.first + u'/';
        return path.startsWith(below)
            && sandbox::matchesComponent(secret.second.toStdString(),
                path.mid(below.size()).section(u'/', 0, 0).toStdString());
    });
}

bool SafetyRules::mayMatchOwnerSecret(const QString &pattern) const
{
    const QStringList parts = pattern.split(u'/');
    return std::any_of(m_ownerSecrets.begin(), m_ownerSecrets.end(), [&parts](const auto &secret) {
        const QStringList names = (secret.first + u'/' + secret.second).split(u'/');
        if (parts.size() < names.size()) {
            return false;
        }
        for (qsizetype at = 0; at < names.size(); ++at) {
            // Two patterns may mean the same name; that counts as if they did.
            const bool both
                = sandbox::isNamePattern(parts[at]) && sandbox::isNamePattern(names[at]);
            if (!both
                && !sandbox::matchesComponent(parts[at].toStdString(), names[at].toStdString())
                && !sandbox::matchesComponent(names[at].toStdString(), parts[at].toStdString())) {
                return false;
            }
        }
        return true;
    });
}

bool SafetyRules::holdsOwnerSecret(const QString &path) const
{
    return std::any_of(m_ownerSecrets.begin(), m_ownerSecrets.end(),
        [&path](const auto &secret) { return liesIn(secret.first, path); });
}

bool SafetyRules::holdsOurs(const QString &path) const
{
    return std::any_of(
        m_ours.begin(), m_ours.end(), [&path](const QString &ours) { return liesIn(ours, path); });
}

SafetyRules::Findings SafetyRules::inspect(const engines::PermissionRequest &request) const
{
    Findings findings;
    if (!request.command.isEmpty()) {
        Scope scope;
        scope.cwd = realPath(request.cwd);
        scope.variables = { { u"HOME"_s, m_userHome }, { u"PWD"_s, scope.cwd },
            { u"USERPROFILE"_s, m_userHome }, { u"WEGENT_EXECUTOR_HOME"_s, m_root } };
        inspectLine(request.command, scope, findings);
    }
    for (const engines::RequestedFile &file : request.files) {
        const QString path = realPath(file.path, request.cwd);
        inspectWrite(path, findings);
        if (file.action == "delete"_L1) {
            addRisk(findings, kDeletes);
        }
    }
    if (!request.grantRoot.isEmpty()) {
        const QString root = realPath(request.grantRoot, request.cwd);
        if (isOurs(root) || holdsOurs(root)) {
            block(findings, u"It would make this program's own files writable (%1)."_s.arg(root));
        } else if (isOwnerSecret(root) || holdsOwnerSecret(root)) {
            block(findings, u"It would open a secret path of the owner (%1)."_s.arg(root));
        }
    }
    // Whatever shape the engine gave its grants, each path in it is looked at.
    QList<QJsonValue> open { request.grantsAsked };
    while (!open.isEmpty()) {
        const QJsonValue value = open.takeLast();
        if (value.isString() && QDir::isAbsolutePath(value.toString())) {
            const QString path = realPath(value.toString());
            if (isOurs(path) || isSecret(path)) {
                block(findings, u"It would open this program's own files (%1)."_s.arg(path));
            } else if (isOwnerSecret(path) || holdsOwnerSecret(path)) {
                block(findings, u"It would open a secret path of the owner (%1)."_s.arg(path));
            }
        }
        for (const QJsonValue &one : value.toArray()) {
            open.append(one);
        }
        const QJsonObject object = value.toObject();
        for (auto it = object.begin(); it != object.end(); ++it) {
            open.append(it.value());
            open.append(QJsonValue(it.key()));
        }
    }
    return findings;
}

void SafetyRules::inspectLine(const QString &line, Scope &scope, Findings &findings) const
{
    if (scope.depth >= kDeepest) {
        block(findings, u"It nests shells too deeply to be understood."_s);
        return;
    }
    const ShellLine parsed = readShellLine(line, scope.variables);
    if (!parsed.complete) {
        addRisk(findings, u"cannot be understood completely"_s);
    }
    for (const QString &inner : parsed.substitutions) {
        Scope nested = scope;
        ++nested.depth;
        nested.downloads = false;
        inspectLine(inner, nested, findings);
    }
    const bool downloadsInside = std::any_of(
        parsed.substitutions.begin(), parsed.substitutions.end(), [](const QString &inner) {
            static const QRegularExpression word(u"(^|[\\s;&|/(])(curl|wget|iwr|aria2c)\\s"_s);
            return inner.contains(word);
        });
    for (const ShellCommand &command : parsed.commands) {
        inspectCommand(command, scope, findings);
        const bool wrapped
            = !command.words.isEmpty() && wrappers().contains(programName(command.words.first()));
        const QList<ShellWord> programs = wrapped ? command.words : command.words.mid(0, 1);
        for (const ShellWord &word : programs) {
            const QString program = programName(word);
            if (isDownloader(program)) {
                scope.downloads = true;
            } else if (runsCode(program) && (scope.downloads || downloadsInside)) {
                addRisk(findings, kDownloadsAndRuns);
            }
        }
    }
}

void SafetyRules::inspectCommand(
    const ShellCommand &command, Scope &scope, Findings &findings) const
{
    const auto place = [this, &scope](const ShellWord &word) {
        QString text = word.text;
        if (text == "~"_L1 || text.startsWith("~/"_L1)) {
            text = m_userHome + text.mid(1);
        }
        // "--output=/path" and "of=/path" name the path behind the sign.
        if (const qsizetype equals = text.indexOf(u'='); equals > 0) {
            const QString value = text.mid(equals + 1);
            if (value.contains(u'/') || value.startsWith(u'~')) {
                text = value.startsWith("~/"_L1) ? m_userHome + value.mid(1) : value;
            }
        }
        return realPath(text, scope.cwd);
    };
    for (const ShellWord &target : command.writes) {
        inspectWrite(place(target), findings);
    }
    for (const ShellWord &source : command.reads) {
        inspectRead(source, place(source), findings);
    }
    if (command.words.isEmpty()) {
        return;
    }

    // Behind sudo, env, xargs and the like stands the program that really runs.
    qsizetype at = 0;
    QString program = programName(command.words.first());
    const bool wrapped = wrappers().contains(program);
    static const QStringList kNoteworthy { u"rm"_s, u"rmdir"_s, u"find"_s, u"shred"_s, u"unlink"_s,
        u"git"_s, u"del"_s, u"erase"_s, u"rd"_s, u"remove-item"_s, u"cd"_s, u"eval"_s, u"tee"_s,
        u"cp"_s, u"mv"_s };
    for (qsizetype i = 0; wrapped && i < command.words.size(); ++i) {
        const QString name = programName(command.words.at(i));
        if (name == "sudo"_L1 || name == "doas"_L1 || name == "pkexec"_L1 || name == "su"_L1) {
            addRisk(findings, u"uses administrator rights"_s);
        }
        if (kNoteworthy.contains(name) || shells().contains(name)) {
            at = i;
            program = name;
            break;
        }
    }
    if (program == "runas"_L1) {
        addRisk(findings, u"uses administrator rights"_s);
    }
    const QList<ShellWord> arguments = command.words.mid(at + 1);
    const auto has = [&arguments](QLatin1StringView text) {
        return std::any_of(arguments.begin(), arguments.end(),
            [text](const ShellWord &word) { return word.text.compare(text) == 0; });
    };

    if (shells().contains(program) || program == "eval"_L1) {
        // bash -lc "line", cmd /c line, eval line: the rest is a line of its own.
        Scope nested = scope;
        ++nested.depth;
        QStringList joined;
        for (const ShellWord &word : arguments) {
            if (program != "eval"_L1 && word.text.contains(u' ')) {
                inspectLine(word.text, nested, findings);
            }
            joined.append(word.text);
        }
        if (program == "eval"_L1 || program == "cmd"_L1) {
            inspectLine(joined.join(u' ').remove("/c "_L1, Qt::CaseInsensitive), nested, findings);
        }
    } else if (program == "cd"_L1 || program == "pushd"_L1) {
        const bool known = arguments.size() == 1 && !arguments.first().unknown
            && !arguments.first().glob && arguments.first().text != "-"_L1;
        scope.cwd = arguments.isEmpty() ? m_userHome : known ? place(arguments.first()) : QString();
        scope.variables.insert(u"PWD"_s, scope.cwd);
    }

    QList<ShellWord> targets;
    bool recursive = false;
    for (const ShellWord &word : arguments) {
        const QString lower = word.text.toLower();
        if (word.text.startsWith("--"_L1)) {
            recursive = recursive || word.text == "--recursive"_L1;
        } else if (word.text.startsWith(u'-') && word.text.size() > 1) {
            recursive = recursive || lower.contains(u'r');
        } else if (lower == "/s"_L1 || lower == "/q"_L1) {
            recursive = recursive || lower == "/s"_L1;
        } else {
            targets.append(word);
        }
    }
    static const QStringList kDeleters { u"rm"_s, u"rmdir"_s, u"rd"_s, u"del"_s, u"erase"_s,
        u"remove-item"_s, u"unlink"_s, u"shred"_s };
    if (kDeleters.contains(program)) {
        addRisk(findings, kDeletes);
        if (recursive) {
            inspectDeletion(targets, scope, findings);
        }
    } else if (program == "find"_L1 && (has("-delete"_L1) || has("rm"_L1) || has("/bin/rm"_L1))) {
        addRisk(findings, kDeletes);
        const bool filtered = std::any_of(
            arguments.begin(), arguments.end(), [](const ShellWord &word) {
                static const QRegularExpression tests(
                    u"^-(i?name|i?path|i?regex|[acm]time|[acm]min|size|newer.*|empty|perm|user)$"_s);
                return word.text.contains(tests);
            });
        const auto firstTest = std::find_if(arguments.begin(), arguments.end(),
            [](const ShellWord &word) { return word.text.startsWith(u'-'); });
        if (!filtered) {
            const QList<ShellWord> roots(arguments.begin(), firstTest);
            inspectDeletion(roots.isEmpty() ? QList<ShellWord> { { u"."_s, false, false } } : roots,
                scope, findings);
        }
    } else if (program == "git"_L1 && has("clean"_L1)) {
        addRisk(findings, kDeletes);
    } else if (program == "npx"_L1 || program == "uvx"_L1 || program == "bunx"_L1) {
        addRisk(findings, kDownloadsAndRuns);
    }

    if (program.startsWith("deskhand"_L1) && has("answer"_L1)) {
        block(findings, u"A task may not answer its own requests."_s);
    }
    if (program == "secret-tool"_L1 || program == "kwallet-query"_L1
        || (program == "security"_L1
            && (has("find-generic-password"_L1) || has("dump-keychain"_L1)))) {
        block(findings, u"It reads the system's key store."_s);
    }

    const bool onlyReads = readers().contains(program);
    for (const ShellWord &word : arguments) {
        if (looksProtected(word.text)) {
            addRisk(findings, u"touches a protected name"_s);
        }
        const QString path = place(word);
        if (!listers().contains(program)) {
            inspectRead(word, path, findings);
        }
        if (!onlyReads && (!word.text.startsWith(u'-') || word.text.contains(u'='))) {
            inspectWrite(path, findings);
            static const QStringList kMovers { u"mv"_s, u"chmod"_s, u"chown"_s };
            if (kMovers.contains(program) && path != scope.cwd && holdsOurs(path)) {
                block(findings, u"It changes a folder that holds this program's own files."_s);
            }
        }
    }
}

bool SafetyRules::isDeletionOfAll(const ShellWord &target, const Scope &scope) const
{
    static const QRegularExpression relative(u"^(\\.{1,2}/+)*(\\.{1,2}|\\*|\\.\\*|\\.\\[.*)?$"_s);
    const QStringList forms = braceForms(target.text);
    return std::any_of(forms.begin(), forms.end(), [&](QString form) {
        if (form == "~"_L1 || form.startsWith("~/"_L1)) {
            form = m_userHome + form.mid(1);
        }
        if (!form.isEmpty() && form.contains(relative)) {
            return true; // ".", "..", "*", "./*", "../..": wherever the line stands
        }
        if (target.unknown) {
            return false;
        }
        while (form.size() > 1 && (form.endsWith(u'*') || form.endsWith(u'/'))) {
            // "/home/*" empties "/home"; "/home/a*" does not.
            const bool star = form.endsWith(u'*');
            if (star && form.at(form.size() - 2) != u'/') {
                break;
            }
            form.chop(1);
        }
        const QString path = realPath(form, scope.cwd);
        return !path.isEmpty()
            && (path == QDir(path).rootPath() || liesIn(m_userHome, path)
                || liesIn(scope.cwd, path));
    });
}

void SafetyRules::inspectDeletion(
    const QList<ShellWord> &targets, const Scope &scope, Findings &findings) const
{
    for (const ShellWord &target : targets) {
        if (isDeletionOfAll(target, scope)) {
            block(findings,
                u"It deletes a root, home, current or parent folder with everything in it (%1)."_s
                    .arg(target.text));
        } else if (!target.unknown && holdsOurs(realPath(target.text, scope.cwd))) {
            block(findings, u"It deletes a folder that holds this program's own files."_s);
        }
    }
}

void SafetyRules::inspectWrite(const QString &path, Findings &findings) const
{
    if (isOurs(path) || isSecret(path)) {
        block(findings, u"It changes this program's own files (%1)."_s.arg(path));
    } else if (isOwnerSecret(path)) {
        block(findings, u"It changes a secret path of the owner (%1)."_s.arg(path));
    }
    if (looksProtected(path)) {
        addRisk(findings, u"touches a protected name"_s);
    }
}

void SafetyRules::inspectRead(const ShellWord &word, const QString &path, Findings &findings) const
{
    bool secret = isSecret(path) || path == m_root;
    if (word.glob && !secret) {
        // "*" may stand for the name of a secret file; no "*" crosses a slash.
        QRegularExpression pattern(QRegularExpression::wildcardToRegularExpression(path));
        if (!pattern.isValid()) { // an open "[": to the shell it is a letter, here anything
            pattern.setPattern(
                QRegularExpression::wildcardToRegularExpression(QString(path).replace(u'[', u'?')));
        }
        secret = std::any_of(m_secrets.begin(), m_secrets.end(), [&pattern](const QString &place) {
            return pattern.match(place).hasMatch();
        }) || (path.left(path.lastIndexOf(u'/')) == m_root);
    }
    if (secret) {
        block(findings, u"It reads where this program keeps its secrets (%1)."_s.arg(path));
    } else if (isOwnerSecret(path) || (word.glob && mayMatchOwnerSecret(path))) {
        block(findings, u"It reads a secret path of the owner (%1)."_s.arg(path));
    } else if (holdsOwnerSecret(path)) {
        addRisk(findings, u"touches a protected name"_s);
    }
}

} // namespace deskhand::tasks
