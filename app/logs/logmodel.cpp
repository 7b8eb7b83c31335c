// SPDX-License-Identifier: Apache-2.0
#include "app/logs/logmodel.h"

#include "app/tray/trayicon.h"
#include "app/visibletext.h"

#include <QBrush>
#include <QDateTime>
#include <QFontDatabase>
#include <QLocale>
#include <QMutexLocker>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

/// Removed at once when the limit is passed, so that a busy log does not remove line by line.
constexpr int kDropAtOnce = 2'500;

QString letter(int level)
{
    switch (level) {
    case 3:
        return u"W"_s;
    case 2:
        return u"I"_s;
    case 0:
    case 1:
        return u"D"_s;
    default:
        return u"E"_s;
    }
}

} // namespace

LogModel::LogModel(QObject *parent)
    : QAbstractTableModel(parent)
{ }

LogModel::~LogModel()
{
    logging::setListener({});
}

void LogModel::listen()
{
    logging::setListener([this](const logging::LogLine &line) { push(line); });
}

void LogModel::push(const logging::LogLine &line)
{
    const QMutexLocker lock(&m_mutex);
    m_incoming.append(line);
    if (m_incoming.size() > kLimit) {
        m_incoming.remove(0, kDropAtOnce);
    }
    if (!m_announced) {
        m_announced = true;
        QMetaObject::invokeMethod(this, &LogModel::takeOver, Qt::QueuedConnection);
    }
}

void LogModel::takeOver()
{
    QList<logging::LogLine> lines;
    {
        const QMutexLocker lock(&m_mutex);
        lines.swap(m_incoming);
        m_announced = false;
    }
    if (lines.isEmpty()) {
        return;
    }
    const int before = rowCount();
    beginInsertRows({}, before, before + static_cast<int>(lines.size()) - 1);
    bool newSource = false;
    for (const logging::LogLine &line : std::as_const(lines)) {
        m_lines.push_back(line);
        if (!m_sources.contains(line.source)) {
            m_sources.append(line.source);
            newSource = true;
        }
    }
    endInsertRows();
    const int over = rowCount() - kLimit;
    if (over > 0) {
        const int drop = std::min(rowCount(), std::max(over, kDropAtOnce));
        beginRemoveRows({}, 0, drop - 1);
        m_lines.erase(m_lines.begin(), m_lines.begin() + drop);
        endRemoveRows();
    }
    if (newSource) {
        m_sources.sort();
        Q_EMIT sourcesChanged();
    }
}

void LogModel::clear()
{
    beginResetModel();
    m_lines.clear();
    endResetModel();
}

int LogModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int LogModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LogModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const logging::LogLine &entry = line(index.row());
    if (role == Qt::DisplayRole) {
        switch (index.column()) {
        case Time:
            return QDateTime::fromMSecsSinceEpoch(entry.timeMs).toString(u"MM-dd HH:mm:ss.zzz"_s);
        case Level:
            return letter(entry.level);
        case Source:
            return entry.source;
        case Text:
            return visibleText(entry.text);
        default:
            return {};
        }
    }
    if (role == Qt::ToolTipRole && index.column() == Text) {
        return visibleText(entry.text, true).left(4000).toHtmlEscaped();
    }
    if (role == Qt::FontRole) {
        return QFontDatabase::systemFont(QFontDatabase::FixedFont);
    }
    if (role == Qt::ForegroundRole && index.column() == Level) {
        const bool dark = currentTone() == IconTone::ForDarkPanel;
        if (entry.level >= 4) {
            return QBrush(QColor(dark ? 0xff8a80 : 0xb3160b));
        }
        if (entry.level == 3) {
            return QBrush(QColor(dark ? 0xffc14d : 0x8a5a00));
        }
    }
    return {};
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Time:
        return tr("Time");
    case Level:
        return tr("Level");
    case Source:
        return tr("Source");
    case Text:
        return tr("Text");
    default:
        return {};
    }
}

QString LogModel::asText(const logging::LogLine &line)
{
    QDateTime when = QDateTime::fromMSecsSinceEpoch(line.timeMs);
    when = when.toOffsetFromUtc(when.offsetFromUtc());
    return u"%1 %2 %3: %4"_s.arg(
        when.toString(Qt::ISODateWithMs), letter(line.level), line.source, line.text);
}

} // namespace deskhand::app
