// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

using namespace Qt::StringLiterals;

namespace {

struct Message
{
    QString context;
    QString source;
    QStringList translations; ///< one, or one per plural form
    bool finished = false;
};

QList<Message> readMessages(const QString &file)
{
    QList<Message> messages;
    QFile source(file);
    if (!source.open(QIODevice::ReadOnly)) {
        return messages;
    }
    QXmlStreamReader xml(&source);
    QString context;
    Message message;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement) {
            if (xml.isEndElement() && xml.name() == "message"_L1) {
                messages.append(message);
            }
            continue;
        }
        if (xml.name() == "name"_L1) {
            context = xml.readElementText();
        } else if (xml.name() == "message"_L1) {
            message = { context, {}, {}, true };
        } else if (xml.name() == "source"_L1) {
            message.source = xml.readElementText();
        } else if (xml.name() == "translation"_L1) {
            message.finished = xml.attributes().value("type"_L1).isEmpty();
            QString text;
            while (!xml.atEnd()) {
                const auto token = xml.readNext();
                if (token == QXmlStreamReader::Characters) {
                    text += xml.text();
                } else if (token == QXmlStreamReader::StartElement) {
                    message.translations << xml.readElementText();
                } else if (token == QXmlStreamReader::EndElement) {
                    break;
                }
            }
            if (message.translations.isEmpty()) {
                message.translations << text;
            }
        }
    }
    return messages;
}

QStringList placeholders(const QString &text)
{
    static const QRegularExpression kPlace(u"%(n|L?\\d)"_s);
    QStringList found;
    auto matches = kPlace.globalMatch(text);
    while (matches.hasNext()) {
        found << matches.next().captured();
    }
    found.sort();
    return found;
}

} // namespace

/// Reads the sources anew with lupdate into a copy, so that a text nobody translated yet fails.
class TestTranslations final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void language_isComplete_data();
    void language_isComplete();
};

void TestTranslations::language_isComplete_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<bool>("everything");
    QTest::newRow("English plurals") << u"deskhand_en.ts"_s << false;
    QTest::newRow("Simplified Chinese") << u"deskhand_zh_CN.ts"_s << true;
}

void TestTranslations::language_isComplete()
{
    QFETCH(QString, file);
    QFETCH(bool, everything);
    QTemporaryDir folder;
    const QString copy = folder.filePath(file);
    QVERIFY(QFile::copy(QStringLiteral(DESKHAND_SOURCE_DIR "/translations/") + file, copy));
    QStringList arguments { u"-silent"_s, u"-no-obsolete"_s, u"-locations"_s, u"none"_s, u"-I"_s,
        QStringLiteral(DESKHAND_SOURCE_DIR) };
    if (!everything) {
        arguments << u"-pluralonly"_s;
    }
    arguments << QStringLiteral(DESKHAND_TRANSLATED_SOURCES).split(u'|') << u"-ts"_s << copy;
    QProcess lupdate;
    lupdate.start(QStringLiteral(DESKHAND_LUPDATE), arguments);
    QVERIFY(lupdate.waitForFinished(60'000));
    QCOMPARE(lupdate.exitCode(), 0);

    const QList<Message> messages = readMessages(copy);
    QVERIFY(messages.size() > (everything ? 200 : 10));
    QStringList faults;
    for (const Message &message : messages) {
        const QString name = message.context + u": "_s + message.source;
        if (!message.finished) {
            faults << u"not translated - "_s + name;
            continue;
        }
        for (const QString &translation : message.translations) {
            if (translation.trimmed().isEmpty()) {
                faults << u"empty - "_s + name;
            } else if (placeholders(translation) != placeholders(message.source)) {
                faults << u"placeholders differ - "_s + name;
            } else if (everything && translation.contains(u"!"_s)) {
                faults << u"exclamation mark - "_s + name;
            }
        }
    }
    QVERIFY2(faults.isEmpty(), qPrintable(u"\n"_s + faults.join(u'\n')));
}

QTEST_GUILESS_MAIN(TestTranslations)
#include "tst_translations.moc"
