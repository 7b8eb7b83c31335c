// SPDX-License-Identifier: Apache-2.0
#include "app/desktop.h"
#include "app/facadecore.h"
#include "app/language.h"
#include "app/logs/logmodel.h"
#include "app/platform/quitsignals.h"
#include "app/platform/singleinstance.h"
#include "app/preferences.h"
#include "app/tray/trayicon.h"
#include "executor/logging/log.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QSessionManager>
#include <QTimer>

#include <cstdio>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace deskhand;
using namespace deskhand::app;

namespace {

/// How long the key store may take before it counts as locked.
constexpr auto kSecretLimit = 10s;
/// How long a first instance may take to acknowledge.
constexpr auto kHandOverLimit = 3s;
constexpr auto kSecretService = "deskhand"_L1;

/// Hands the arguments to the running program; when it does not answer, the owner may wait more.
void handOver(SingleInstance &instance, const QStringList &arguments)
{
    instance.handOver(arguments, kHandOverLimit, [&instance, arguments](bool acknowledged) {
        if (acknowledged) {
            QCoreApplication::exit(0);
            return;
        }
        auto *box = new QMessageBox(QMessageBox::Warning,
            QCoreApplication::translate("main", "Deskhand"),
            QCoreApplication::translate("main", "Deskhand is already running but does not answer."),
            QMessageBox::Close);
        box->button(QMessageBox::Close)->setText(QCoreApplication::translate("main", "&Close"));
        box->setObjectName(u"noAnswer"_s);
        box->setAttribute(Qt::WA_DeleteOnClose);
        QPushButton *wait
            = box->addButton(QCoreApplication::translate("main", "&Wait"), QMessageBox::AcceptRole);
        QObject::connect(box, &QDialog::finished, &instance, [box, wait, &instance, arguments] {
            if (box->clickedButton() == wait) {
                handOver(instance, arguments);
            } else {
                QCoreApplication::exit(1);
            }
        });
        box->open();
    });
}

} // namespace

int main(int argc, char *argv[])
{
    // Asked for the version there is no need for a display.
    for (int i = 1; i < argc; ++i) {
        if (qstrcmp(argv[i], "--version") == 0) {
            std::puts("deskhand " DESKHAND_VERSION);
            return 0;
        }
    }
    QApplication application(argc, argv);
    QCoreApplication::setApplicationName(u"deskhand"_s);
    QCoreApplication::setOrganizationName(u"deskhand"_s);
    QCoreApplication::setApplicationVersion(QStringLiteral(DESKHAND_VERSION));
    QGuiApplication::setDesktopFileName(u"deskhand"_s);
    QGuiApplication::setQuitOnLastWindowClosed(false);
    useLanguage(QLocale::system());
    QGuiApplication::setApplicationDisplayName(u"Deskhand"_s);
    QGuiApplication::setWindowIcon(programIcon());

    QCommandLineParser parser;
    parser.setApplicationDescription(QCoreApplication::translate(
        "main", "Makes this computer a device of a Wegent AI workspace."));
    parser.addHelpOption();
    const QCommandLineOption background(u"background"_s,
        QCoreApplication::translate("main", "Starts in the tray without opening a window."));
    parser.addOption(background);
    parser.addOption(
        { u"version"_s, QCoreApplication::translate("main", "Shows the version and ends.") });
    parser.process(application);

    const ExecutorHome home = ExecutorHome::fromEnvironment();
    SingleInstance instance(home.root);
    if (!instance.becomeFirst()) {
        handOver(instance, QCoreApplication::arguments().mid(1));
        return QCoreApplication::exec();
    }

    logging::Options logOptions;
    logOptions.file = home.logFile();
    const Result<> logStarted = logging::start(logOptions);
    int code = 0;
    {
        LogModel logs;
        logs.listen();
        if (!logStarted) {
            logging::logger("app")->warn("{}", logStarted.error().message);
        }
        ExecutorOptions options;
        options.home = home;
        options.makeSecretStore = [] {
            return settings::makeKeychainStore(kSecretService, kSecretLimit);
        };
        FacadeCore core(std::move(options));
        Preferences preferences;
        Desktop desktop(core, preferences, logs, QFileInfo(home.logFile()).absolutePath());
        QObject::connect(&desktop, &Desktop::finished, &application, &QCoreApplication::quit);
        QObject::connect(
            &instance, &SingleInstance::argumentsReceived, &desktop, &Desktop::onSecondStart);
        QuitSignals quitSignals;
        QObject::connect(&quitSignals, &QuitSignals::quitRequested, &desktop, &Desktop::quitNow);
        QObject::connect(
            &quitSignals, &QuitSignals::reloadRequested, &core, [&core] { core.reload(); });
        // The session ends: no dialogs, stop at once.
        QObject::connect(&application, &QGuiApplication::commitDataRequest, &desktop,
            [&desktop](QSessionManager &) { desktop.quitNow(); });

        // The icon first; everything slower comes after it.
        QObject::connect(&desktop.tray(), &Tray::settled, &desktop, [&core, &desktop] {
            if (const Result<> started = core.start()) {
                desktop.coreStarted();
            } else {
                logging::logger("app")->error("{}", started.error().message);
                desktop.coreFailed(started.error());
            }
        });
        desktop.show(parser.isSet(background));
        code = QCoreApplication::exec();
    }
    logging::stop();
    return code;
}
