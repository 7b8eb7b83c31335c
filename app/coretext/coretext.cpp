// SPDX-License-Identifier: Apache-2.0
#include "app/coretext/coretext.h"

#include "app/coretext/catalogue.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

using coretext::Sentence;
using Voice = CoreText::Voice;

constexpr auto kContext = "CoreText";
constexpr int kPlaces = 10; ///< %1 to %9
/// Texts above this, in UTF-16 units, are not searched for sentences joined by a mere ": " or ". ".
constexpr qsizetype kMostJoined = 4096;
/// How many ways to part a joined text are tried for one call.
constexpr int kMostTries = 256;
/// Sentences within sentences; the core nests about four deep.
constexpr int kMostNested = 8;
/// A sentence that may be somebody else's is taken for the core's only if so many of its characters
/// in a row are fixed: "%1 does not exist" could be anybody's.
constexpr qsizetype kTelling = 16;
/// ... and so many when nothing is filled in.
constexpr qsizetype kTellingAlone = 12;

/// How a place of a sentence is read.
struct Reading
{
    bool own = false; ///< holds words of the core
    bool needed = false; ///< ... or the sentence is not meant
    bool provider = false; ///< ... or a provider's
};

/// A sentence ready for comparison: fixed[0] %places[0] fixed[1] ... fixed[n].
struct Pattern
{
    const Sentence *sentence = nullptr;
    QStringList fixed;
    QList<int> places;
    std::array<Reading, kPlaces> readings;
    bool isJoint = false; ///< one place at least must be known
    qsizetype weight = 0; ///< fixed characters
    qsizetype longest = 0; ///< of one fixed part
    bool joinsSentences = false; ///< all places must be known, as in "%1. %2"
};

using Arguments = std::array<QStringView, kPlaces>;

/// The number behind a '%' at `at`, 0 when there is none.
int placeAt(QStringView text, qsizetype at)
{
    if (text.at(at) != u'%' || at + 1 >= text.size()) {
        return 0;
    }
    const char16_t digit = text.at(at + 1).unicode();
    return digit >= u'1' && digit <= u'9' ? digit - u'0' : 0;
}

Pattern compiled(const Sentence &sentence)
{
    Pattern pattern;
    pattern.sentence = &sentence;
    const QString text = QString::fromUtf8(sentence.english);
    QString part;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (const int place = placeAt(text, i); place > 0) {
            pattern.places << place;
            pattern.fixed << std::exchange(part, {});
            ++i;
        } else {
            part += text.at(i);
        }
    }
    pattern.fixed << part;
    for (const QString &fixed : std::as_const(pattern.fixed)) {
        pattern.weight += fixed.size();
        pattern.longest = std::max(pattern.longest, fixed.size());
    }
    int place = 0;
    for (const char *mark = sentence.places; *mark != '\0'; ++mark) {
        if (*mark >= '1' && *mark <= '9') {
            place = *mark - '0';
            pattern.readings.at(place).own = true;
        } else if (*mark == '!') {
            pattern.readings.at(place).needed = true;
            pattern.isJoint = true;
        } else if (*mark == '?') {
            pattern.readings.at(place).provider = true;
        }
    }
    pattern.joinsSentences = pattern.isJoint
        && std::all_of(pattern.places.cbegin(), pattern.places.cend(),
            [&pattern](int one) { return pattern.readings.at(one).needed; })
        && pattern.places.size() == 2 && pattern.fixed.first().isEmpty();
    return pattern;
}

/// Smaller is tried first. Joined sentences come before the sentences that could swallow one of
/// them; what is only meant when a place is known comes last; in between the more telling first.
std::tuple<int, bool, qsizetype> rank(const Pattern &pattern)
{
    return { pattern.joinsSentences ? 0
            : pattern.isJoint       ? 2
                                    : 1,
        pattern.fixed.first().isEmpty(), -pattern.weight };
}

/// All sentences in the order in which they are tried.
const std::vector<Pattern> &patterns()
{
    static const std::vector<Pattern> kPatterns = [] {
        std::vector<Pattern> all;
        for (const auto sentences : { coretext::linkSentences(), coretext::engineSentences(),
                 coretext::modelSentences(), coretext::sandboxSentences(),
                 coretext::settingsSentences(), coretext::taskSentences() }) {
            for (const Sentence &sentence : sentences) {
                all.push_back(compiled(sentence));
            }
        }
        std::stable_sort(all.begin(), all.end(),
            [](const Pattern &one, const Pattern &other) { return rank(one) < rank(other); });
        return all;
    }();
    return kPatterns;
}

/// Fills all places at once, so that an argument that contains "%1" stays what it is.
QString filled(const QString &text, const std::array<QString, kPlaces> &arguments)
{
    QString result;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (const int place = placeAt(text, i); place > 0) {
            result += arguments.at(place);
            ++i;
        } else {
            result += text.at(i);
        }
    }
    return result;
}

/// A sentence that was found again.
struct Found
{
    QString text; ///< in the language of the program
    bool endsForeign = false; ///< its last words may be a provider's
};

/// One call: finds sentences within `kMostTries`.
class Search
{
public:
    [[nodiscard]] std::optional<Found> known(QStringView text, Voice voice, int depth = 0)
    {
        if (text.isEmpty() || depth > kMostNested) {
            return std::nullopt;
        }
        for (const Pattern &pattern : patterns()) {
            if (!mayBe(pattern, voice) || !text.startsWith(pattern.fixed.first())
                || !text.endsWith(pattern.fixed.last())) {
                continue;
            }
            if (auto found = matched(pattern, text, voice, depth)) {
                return found;
            }
        }
        return std::nullopt;
    }

private:
    static bool mayBe(const Pattern &pattern, Voice voice)
    {
        const Sentence::Kind kind = pattern.sentence->kind;
        if (voice == Voice::Core || kind == Sentence::Kind::Proxy) {
            return true;
        }
        // Of two joined sentences the first one tells.
        return voice == Voice::Anyone && kind == Sentence::Kind::Said
            && (pattern.longest >= (pattern.places.isEmpty() ? kTellingAlone : kTelling)
                || pattern.joinsSentences);
    }

    std::optional<Found> matched(const Pattern &pattern, QStringView text, Voice voice, int depth)
    {
        const qsizetype first = pattern.fixed.first().size();
        const qsizetype count = pattern.places.size();
        if (count == 0) {
            return text.size() == first ? said(pattern, {}, voice, depth) : std::nullopt;
        }
        const qsizetype end = text.size() - pattern.fixed.last().size();
        if (end < first || (pattern.isJoint && text.size() > kMostJoined)) {
            return std::nullopt;
        }
        // A joint can stand in several places; otherwise each part is taken where it comes first.
        const bool anywhere = pattern.isJoint && count == 2;
        qsizetype from = first;
        do {
            Arguments arguments;
            qsizetype at = from;
            qsizetype begin = first;
            for (qsizetype i = 0; i + 1 < count; ++i) {
                const QString &fixed = pattern.fixed.at(i + 1);
                const qsizetype found = text.first(end).indexOf(fixed, at);
                if (found < 0) {
                    return std::nullopt;
                }
                arguments.at(pattern.places.at(i)) = text.sliced(begin, found - begin);
                from = found + 1;
                at = begin = found + fixed.size();
            }
            arguments.at(pattern.places.last()) = text.sliced(begin, end - begin);
            if (auto result = said(pattern, arguments, voice, depth)) {
                return result;
            }
        } while (anywhere && m_tries < kMostTries);
        return std::nullopt;
    }

    std::optional<Found> said(
        const Pattern &pattern, const Arguments &arguments, Voice voice, int depth)
    {
        std::array<QString, kPlaces> shown;
        Found result;
        for (const int place : pattern.places) {
            const Reading &reading = pattern.readings.at(place);
            const QStringView argument = arguments.at(place);
            std::optional<Found> inner;
            if (reading.own && (!pattern.isJoint || ++m_tries <= kMostTries)) {
                const Voice innerVoice = reading.provider                       ? Voice::Provider
                    : pattern.joinsSentences && place == pattern.places.first() ? voice
                                                                                : Voice::Core;
                inner = within(argument, innerVoice, depth + 1);
            }
            if (reading.needed && !inner) {
                return std::nullopt;
            }
            const bool foreign = reading.provider || (inner && inner->endsForeign);
            if (pattern.joinsSentences && foreign && place == pattern.places.first()) {
                return std::nullopt; // what seems to be a second sentence may be the provider's
            }
            result.endsForeign = foreign && pattern.fixed.last().size() <= 1;
            shown.at(place) = inner ? inner->text : argument.toString();
        }
        result.text
            = filled(QCoreApplication::translate(kContext, pattern.sentence->english), shown);
        return result;
    }

    /// A sentence in a sentence may have lost its full stop.
    std::optional<Found> within(QStringView text, Voice voice, int depth)
    {
        if (text.size() <= kMostJoined && !text.endsWith(u'.')) {
            const QString sentence = text.toString() + u'.';
            auto inner = known(sentence, voice, depth);
            if (inner && (inner->text.endsWith(u'.') || inner->text.endsWith(u'。'))) {
                inner->text.chop(1);
                return inner;
            }
        }
        return known(text, voice, depth);
    }

    int m_tries = 0;
};

} // namespace

QString CoreText::translated(const QString &text, Voice voice)
{
    const auto found = Search().known(text, voice);
    return found ? found->text : text;
}

QString CoreText::failure(const Error &error)
{
    return withNextStep(translated(error.message), translated(error.hint));
}

QString CoreText::withNextStep(const QString &what, const QString &nextStep)
{
    if (nextStep.isEmpty() || what.isEmpty()) {
        return what + nextStep;
    }
    const char *joint = QT_TRANSLATE_NOOP("CoreText", "%1 %2");
    if (nextStep.at(0).isLower()) {
        joint = QT_TRANSLATE_NOOP("CoreText", "%1; %2");
    } else if (!u".!?:。！？：…"_s.contains(what.back())) {
        joint = QT_TRANSLATE_NOOP("CoreText", "%1. %2");
    }
    return filled(QCoreApplication::translate(kContext, joint), { QString(), what, nextStep });
}

} // namespace deskhand::app
