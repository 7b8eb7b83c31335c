// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/binarylocator.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <optional>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::engines::codex;

class TestBinaryLocator final : public QObject
{
    Q_OBJECT
private:
    void program(const QString &path,
        const QByteArray &content = "\x7f"
                                    "ELF")
    {
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }

    // The layout of the npm distribution below a node_modules folder.
    QString npmPackage(const QString &modules)
    {
        program(modules + u"/@openai/codex/bin/codex.js"_s, "#!/usr/bin/env node\n");
        const QString native
            = modules + u"/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"_s;
        program(native);
        return QFileInfo(native).canonicalFilePath();
    }

    Result<LocatedBinary> locate(const QProcessEnvironment &environment,
        std::chrono::milliseconds limit = std::chrono::seconds(10))
    {
        BinaryLocator locator(environment, limit);
        std::optional<Result<LocatedBinary>> found;
        locator.locate([&](const Result<LocatedBinary> &result) { found = result; });
        [&] {
            QTRY_VERIFY_WITH_TIMEOUT(found.has_value(), 15'000);
        }();
        return found.value_or(failure(ErrorKind::Internal, u"no answer"_s));
    }

    QProcessEnvironment environment(const QTemporaryDir &root)
    {
        QProcessEnvironment result;
        result.insert(u"HOME"_s, root.filePath(u"home"_s));
        result.insert(u"PATH"_s, root.filePath(u"bin"_s));
        result.insert(u"SHELL"_s, u"/bin/sh"_s);
        QDir().mkpath(root.filePath(u"home"_s));
        QDir().mkpath(root.filePath(u"bin"_s));
        return result;
    }

private Q_SLOTS:
    void namedProgram_winsAndIsNeverReplaced()
    {
        QTemporaryDir root;
        QProcessEnvironment env = environment(root);
        program(root.filePath(u"bin/codex"_s));
        program(root.filePath(u"mine"_s));
        env.insert(u"CODEX_BIN"_s, root.filePath(u"mine"_s));
        QCOMPARE(locate(env)->path, root.filePath(u"mine"_s));
        env.insert(u"CODEX_BINARY_PATH"_s, root.filePath(u"missing"_s));
        const auto missing = locate(env);
        QVERIFY(!missing);
        QVERIFY(missing.error().message.contains("CODEX_BINARY_PATH"_L1));
        QVERIFY(missing.error().message.contains(root.filePath(u"missing"_s)));
    }

    void ownersChoice_comesAfterTheEnvironment()
    {
        QTemporaryDir root;
        QProcessEnvironment env = environment(root);
        program(root.filePath(u"bin/codex"_s));
        program(root.filePath(u"chosen"_s));
        const auto chosen = [&](const QString &path) {
            BinaryLocator locator(env, std::chrono::seconds(10));
            locator.setOwnersChoice(path);
            std::optional<Result<LocatedBinary>> found;
            locator.locate([&](const Result<LocatedBinary> &result) { found = result; });
            return found.value_or(failure(ErrorKind::Internal, u"no answer"_s));
        };
        QCOMPARE(chosen(root.filePath(u"chosen"_s))->path, root.filePath(u"chosen"_s));
        QVERIFY(chosen(u"/nowhere/codex"_s).error().message.contains("setting"_L1));
        program(root.filePath(u"mine"_s));
        env.insert(u"CODEX_BIN"_s, root.filePath(u"mine"_s));
        QCOMPARE(chosen(root.filePath(u"chosen"_s))->path, root.filePath(u"mine"_s));
    }

    void notExecutable_isRefused()
    {
        QTemporaryDir root;
        QProcessEnvironment env = environment(root);
        program(root.filePath(u"mine"_s));
        QFile::setPermissions(root.filePath(u"mine"_s), QFile::ReadOwner);
        env.insert(u"CODEX_BIN"_s, root.filePath(u"mine"_s));
        const auto result = locate(env);
        QVERIFY(!result);
        QVERIFY(result.error().message.contains("executable"_L1));
    }

    void launcherOnThePath_leadsToTheNativeProgram()
    {
        QTemporaryDir root;
        const QProcessEnvironment env = environment(root);
        const QString native = npmPackage(root.filePath(u"lib/node_modules"_s));
        QFile::link(root.filePath(u"lib/node_modules/@openai/codex/bin/codex.js"_s),
            root.filePath(u"bin/codex"_s));
        const auto result = locate(env);
        QVERIFY(result);
        QCOMPARE(result->path, native);
        QCOMPARE(result->origin, u"PATH"_s);
    }

    void loginShell_isAskedWhenThePathLacksIt()
    {
        QTemporaryDir root;
        QProcessEnvironment env = environment(root);
        program(root.filePath(u"elsewhere/codex"_s));
        program(root.filePath(u"shell"_s),
            "#!/bin/sh\necho 'welcome back'\nPATH=" + root.filePath(u"elsewhere"_s).toUtf8()
                + ":/usr/bin:/bin\nshift\nexec /bin/sh \"$@\"\n");
        env.insert(u"SHELL"_s, root.filePath(u"shell"_s));
        const auto result = locate(env);
        QVERIFY2(result, result ? "" : qPrintable(result.error().message));
        QCOMPARE(result->path, root.filePath(u"elsewhere/codex"_s));
        QVERIFY(result->searchPath.contains("elsewhere"_L1));
    }

    void scriptWithoutItsInterpreter_usesTheLoginShellsPath()
    {
        QTemporaryDir root;
        QProcessEnvironment env = environment(root);
        program(root.filePath(u"bin/codex"_s), "#!/usr/bin/env runner-of-codex\n");
        const QString script = root.filePath(u"bin/codex"_s);
        const auto missing = locate(env);
        QVERIFY(!missing);
        QVERIFY(missing.error().message.contains("runner-of-codex"_L1));
        QVERIFY(missing.error().message.contains(root.filePath(u"bin"_s)));
        program(root.filePath(u"elsewhere/runner-of-codex"_s));
        const QByteArray path = root.filePath(u"bin"_s).toUtf8() + ':'
            + root.filePath(u"elsewhere"_s).toUtf8() + ":/usr/bin:/bin";
        program(root.filePath(u"shell"_s),
            "#!/bin/sh\nPATH=" + path + "\nshift\nexec /bin/sh \"$@\"\n");
        env.insert(u"SHELL"_s, root.filePath(u"shell"_s));
        for (const bool named : { false, true }) {
            if (named) {
                env.insert(u"CODEX_BIN"_s, script);
            }
            const auto found = locate(env);
            QVERIFY2(found, found ? "" : qPrintable(found.error().message));
            QCOMPARE(found->path, script);
            QVERIFY(found->searchPath.contains("elsewhere"_L1));
        }
    }

    void hangingLoginShell_isBounded()
    {
        QTemporaryDir root;
        QProcessEnvironment env = environment(root);
        program(root.filePath(u"shell"_s), "#!/bin/sh\nexec sleep 600\n");
        env.insert(u"SHELL"_s, root.filePath(u"shell"_s));
        env.insert(u"PATH"_s, u"/usr/bin:/bin"_s);
        const auto result = locate(env, std::chrono::milliseconds(100));
        QVERIFY(!result || result->origin.startsWith("npm"_L1));
    }

    void npmFolder_isTheLastPlace()
    {
        QTemporaryDir root;
        const QProcessEnvironment env = environment(root);
        const QString native = npmPackage(root.filePath(u"home/.npm-global/lib/node_modules"_s));
        const auto result = locate(env);
        QVERIFY(result);
        QCOMPARE(result->path, native);
        QVERIFY(result->origin.startsWith("npm folder"_L1));
    }

    void nothing_namesWhatWasLookedAt()
    {
        QTemporaryDir root;
        const auto result = locate(environment(root));
        if (result) {
            QSKIP("codex is installed for everybody on this computer");
        }
        QVERIFY(result.error().message.contains(root.filePath(u"bin"_s)));
        QVERIFY(result.error().message.contains("CODEX_BINARY_PATH"_L1));
        QVERIFY(result.error().message.contains(root.filePath(u"home/.npm-global"_s)));
        QVERIFY(!result.error().hint.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestBinaryLocator)
#include "tst_binarylocator.moc"
