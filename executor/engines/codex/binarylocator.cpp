// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/binarylocator.h"

#include "executor/logging/log.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTimer>

#include <algorithm>
#include <utility>

using namespace Qt::StringLiterals;

#include <array>

namespace deskhand::engines::codex {

namespace {

#ifdef Q_OS_WIN
constexpr auto kProgram = "codex.exe"_L1;
constexpr auto kCommands = { "codex.exe"_L1, "codex.cmd"_L1 };
#else
constexpr auto kProgram = "codex"_L1;
constexpr auto kCommands = { "codex"_L1 };
#endif
constexpr auto kMarker = "deskhand-search-path:"_L1;

bool isProgram(const QString &path)
{
    const QFileInfo info(path);
    return info.isFile() && info.isExecutable();
}

// A script starts with "#!"; the native program of every system starts with something else.
bool isScript(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) && file.read(2) == "#!";
}

// "node" for "#!/usr/bin/env node"; nothing for native programs and absolute interpreters.
QString interpreterOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    const QString line = QString::fromUtf8(file.readLine(200)).trimmed();
    const QStringList words = line.mid(2).split(u' ', Qt::SkipEmptyParts);
    const bool throughEnv
        = line.startsWith("#!"_L1) && words.size() > 1 && words.constFirst().endsWith("/env"_L1);
    return throughEnv ? words.constLast() : QString();
}

bool isOnPath(const QString &program, const QString &path)
{
    const QStringList folders = path.split(QDir::listSeparator(), Qt::SkipEmptyParts);
    return std::any_of(folders.begin(), folders.end(),
        [&](const QString &folder) { return isProgram(QDir(folder).filePath(program)); });
}

// The platform packages of the npm distribution lie beside the main one or nested in it, and older
// releases carried the programs inside the main package.
QString nativeInPackage(const QString &packageDir)
{
    const QDir package(packageDir);
    QStringList roots { package.filePath(u"vendor"_s) };
    for (const QString &parent :
        { package.filePath(u".."_s), package.filePath(u"node_modules/@openai"_s) }) {
        const QStringList siblings
            = QDir(parent).entryList({ u"codex-*"_s }, QDir::Dirs | QDir::NoDotAndDotDot);
        for (const QString &sibling : siblings) {
            roots.append(QDir(parent).filePath(sibling + "/vendor"_L1));
        }
    }
    for (const QString &root : std::as_const(roots)) {
        const QStringList triples = QDir(root).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        for (const QString &triple : triples) {
            for (const QLatin1StringView folder : { "bin"_L1, "codex"_L1 }) {
                const QString candidate
                    = QDir(root).filePath(triple + u'/' + folder + u'/' + kProgram);
                if (isProgram(candidate)) {
                    return QDir::cleanPath(candidate);
                }
            }
        }
    }
    return {};
}

} // namespace

BinaryLocator::BinaryLocator(
    QProcessEnvironment environment, std::chrono::milliseconds shellLimit, QObject *parent)
    : QObject(parent)
    , m_environment(std::move(environment))
    , m_shellLimit(shellLimit)
{ }

BinaryLocator::~BinaryLocator()
{
    if (m_shell) {
        m_shell->disconnect(this);
        m_shell->kill();
    }
}

Result<QString> BinaryLocator::resolveNative(const QString &path)
{
    const QFileInfo info(path);
    if (!info.exists()) {
        return failure(ErrorKind::NotFound, u"%1 does not exist"_s.arg(path));
    }
    if (info.isDir() || !info.isExecutable()) {
        return failure(ErrorKind::NotFound, u"%1 is not an executable file"_s.arg(path));
    }
    const QString real = info.canonicalFilePath();
    if (!isScript(real) && !real.endsWith(".cmd"_L1)) {
        return real;
    }
    // …/@openai/codex/bin/codex.js, or a wrapper in …/node_modules/.bin or next to node_modules
    const QDir folder = QFileInfo(real).dir();
    for (const QString &package :
        { folder.filePath(u".."_s), folder.filePath(u"../@openai/codex"_s),
            folder.filePath(u"node_modules/@openai/codex"_s),
            folder.filePath(u"../lib/node_modules/@openai/codex"_s) }) {
        const QString native = nativeInPackage(QDir::cleanPath(package));
        if (!native.isEmpty()) {
            return native;
        }
    }
    // Some other script that starts codex: usable as it is when its interpreter can be found.
    return real;
}

QList<std::pair<QString, QString>> BinaryLocator::named() const
{
    QList<std::pair<QString, QString>> names;
    for (const QString &name : { u"CODEX_BINARY_PATH"_s, u"CODEX_BIN"_s }) {
        names.append({ name, m_environment.value(name).trimmed() });
    }
    names.append({ u"the setting of the engine program"_s, m_ownersChoice });
    names.removeIf([](const auto &entry) { return entry.second.isEmpty(); });
    return names;
}

// A native program is found; a script is found when the program that runs it is on the path.
BinaryLocator::Verdict BinaryLocator::examine(
    const QString &file, const QString &path, const QString &origin, Result<LocatedBinary> &result)
{
    const Result<QString> native = resolveNative(file);
    if (!native) {
        result = tl::unexpected<Error>(native.error());
        return Verdict::Unsuitable;
    }
    const QString interpreter = interpreterOf(*native);
    if (!interpreter.isEmpty() && !isOnPath(interpreter, path)) {
        m_missing = u"%1 is a script that needs \"%2\", which is not on the PATH (%3)"_s.arg(
            *native, interpreter, path.isEmpty() ? u"empty"_s : path);
        result = failure(ErrorKind::Unavailable, m_missing,
            u"Install %1, or set CODEX_BINARY_PATH to the native program."_s.arg(interpreter));
        return Verdict::NeedsOtherPath;
    }
    result = LocatedBinary { *native, origin, path };
    return Verdict::Found;
}

bool BinaryLocator::tryNamed(const QString &path, Result<LocatedBinary> &result)
{
    const auto names = named();
    if (names.isEmpty()) {
        return false;
    }
    const auto &[name, value] = names.constFirst();
    const Verdict verdict = examine(value, path, name, result);
    if (verdict == Verdict::Unsuitable) {
        result = failure(ErrorKind::NotFound,
            u"%1 names no usable program: %2"_s.arg(name, result.error().message),
            u"Correct %1 or remove it."_s.arg(name));
    }
    return verdict != Verdict::NeedsOtherPath;
}

bool BinaryLocator::tryPath(
    const QString &path, const QString &origin, Result<LocatedBinary> &result)
{
    const QStringList folders = path.split(QDir::listSeparator(), Qt::SkipEmptyParts);
    m_looked.append(u"%1 (%2)"_s.arg(origin, path.isEmpty() ? u"empty"_s : path));
    for (const QString &folder : folders) {
        for (const QLatin1StringView command : kCommands) {
            if (examine(QDir(folder).filePath(command), path, origin, result) == Verdict::Found) {
                return true;
            }
        }
    }
    return false;
}

bool BinaryLocator::tryNpmFolders(const QString &path, Result<LocatedBinary> &result)
{
    QStringList prefixes;
    for (const QLatin1StringView name : { "npm_config_prefix"_L1, "NPM_CONFIG_PREFIX"_L1 }) {
        prefixes.append(m_environment.value(name));
    }
    const QStringList folders = path.split(QDir::listSeparator(), Qt::SkipEmptyParts);
    for (const QString &folder : folders) {
        if (isProgram(QDir(folder).filePath(u"node"_s))) {
            prefixes.append(QDir::cleanPath(QDir(folder).filePath(u".."_s)));
        }
    }
    const QDir home(m_environment.value(u"HOME"_s, QDir::homePath()));
    prefixes += { home.filePath(u".npm-global"_s), home.filePath(u".local"_s),
        home.filePath(u".volta/tools/image/packages/@openai/codex"_s), u"/usr/local"_s, u"/usr"_s,
        u"/opt/homebrew"_s };
    const QDir nvm(home.filePath(u".nvm/versions/node"_s));
    const QStringList versions
        = nvm.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name | QDir::Reversed);
    for (const QString &version : versions) {
        prefixes.append(nvm.filePath(version));
    }
    QStringList modules;
    for (const QString &prefix : std::as_const(prefixes)) {
        if (!prefix.isEmpty()) {
            modules.append(QDir(prefix).filePath(u"lib/node_modules"_s));
        }
    }
    if (const QString appData = m_environment.value(u"APPDATA"_s); !appData.isEmpty()) {
        modules.append(QDir(appData).filePath(u"npm/node_modules"_s));
    }
    modules.removeDuplicates();
    for (const QString &folder : std::as_const(modules)) {
        const QString native = nativeInPackage(QDir(folder).filePath(u"@openai/codex"_s));
        if (!native.isEmpty()) {
            result = LocatedBinary { native, u"npm folder %1"_s.arg(folder), path };
            return true;
        }
    }
    m_looked.append(u"npm folders (%1)"_s.arg(modules.join(u", "_s)));
    return false;
}

void BinaryLocator::locate(Handler handler)
{
    m_handlers.append(std::move(handler));
    if (m_handlers.size() > 1) {
        return;
    }
    m_looked.clear();
    m_missing.clear();
    Result<LocatedBinary> result = failure(ErrorKind::NotFound, {});
    const QString path = m_environment.value(u"PATH"_s);
    if (tryNamed(path, result) || (named().isEmpty() && tryPath(path, u"PATH"_s, result))) {
        answer(result);
        return;
    }
    askLoginShell();
}

void BinaryLocator::askLoginShell()
{
#ifdef Q_OS_WIN
    afterLoginShell({});
#else
    const QString shell = m_environment.value(u"SHELL"_s, u"/bin/sh"_s);
    m_shell = std::make_unique<QProcess>();
    m_shell->setProcessEnvironment(m_environment);
    m_shell->setStandardInputFile(QProcess::nullDevice());
    m_shell->setStandardErrorFile(QProcess::nullDevice());
    const auto done = [this] {
        if (!m_shell) {
            return;
        }
        // The marker tells the path from whatever the start-up files print.
        QString path;
        const QStringList lines
            = QString::fromLocal8Bit(m_shell->readAllStandardOutput()).split(u'\n');
        for (const QString &line : lines) {
            if (line.startsWith(kMarker)) {
                path = line.mid(kMarker.size()).trimmed();
            }
        }
        QProcess *ended = m_shell.release();
        ended->disconnect(this);
        if (ended->state() == QProcess::NotRunning) {
            ended->deleteLater();
        } else {
            connect(ended, &QProcess::finished, ended, &QObject::deleteLater);
            ended->kill();
        }
        afterLoginShell(path);
    };
    connect(m_shell.get(), &QProcess::finished, this, done);
    connect(m_shell.get(), &QProcess::errorOccurred, this, [done](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            done();
        }
    });
    QTimer::singleShot(m_shellLimit, m_shell.get(), [this, shell, done] {
        logging::logger("engine.codex")
            ->warn("the login shell {} did not answer within {} ms", shell, m_shellLimit.count());
        done();
    });
    m_shell->start(
        shell, { u"-l"_s, u"-c"_s, u"printf '\\n%s%s\\n' '%1' \"$PATH\""_s.arg(kMarker) });
#endif
}

void BinaryLocator::afterLoginShell(const QString &path)
{
    Result<LocatedBinary> result = failure(ErrorKind::NotFound, {});
    const QString effective = path.isEmpty() ? m_environment.value(u"PATH"_s) : path;
    if (!named().isEmpty()) {
        // A name that was given is never silently replaced by another program.
        (void)tryNamed(effective, result);
        answer(result);
        return;
    }
    if ((!path.isEmpty() && tryPath(path, u"PATH of the login shell"_s, result))
        || tryNpmFolders(effective, result)) {
        answer(result);
        return;
    }
    if (!m_missing.isEmpty()) {
        answer(failure(ErrorKind::Unavailable, m_missing,
            u"Install the missing program, or set CODEX_BINARY_PATH to the native codex "
            "program."_s));
        return;
    }
    answer(failure(ErrorKind::NotFound,
        u"the codex program was not found; looked at CODEX_BINARY_PATH and CODEX_BIN "
        "(not set), %1"_s.arg(m_looked.join(u", "_s)),
        u"Install it with \"npm install -g @openai/codex\" or set CODEX_BINARY_PATH."_s));
}

void BinaryLocator::answer(const Result<LocatedBinary> &result)
{
    const QList<Handler> handlers = std::exchange(m_handlers, {});
    for (const Handler &handler : handlers) {
        handler(result);
    }
}

} // namespace deskhand::engines::codex
