// SPDX-License-Identifier: Apache-2.0
#include "app/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QTranslator>

using namespace Qt::StringLiterals;

namespace deskhand::app {

void useLanguage(const QLocale &locale)
{
    // Owned by the application object, replaced when the language changes.
    static QTranslator *own = nullptr;
    static QTranslator *toolkit = nullptr;
    if (own == nullptr || own->parent() != qApp) {
        own = new QTranslator(qApp);
        toolkit = new QTranslator(qApp);
    }
    QCoreApplication::removeTranslator(own);
    QCoreApplication::removeTranslator(toolkit);
    QLocale::setDefault(locale);
    // English is a translation too: it holds the plural forms.
    if (own->load(locale, u"deskhand"_s, u"_"_s, u":/i18n"_s)
        || own->load(u":/i18n/deskhand_en.qm"_s)) {
        QCoreApplication::installTranslator(own);
    }
    if (toolkit->load(
            locale, u"qtbase"_s, u"_"_s, QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
        QCoreApplication::installTranslator(toolkit);
    }
}

} // namespace deskhand::app
