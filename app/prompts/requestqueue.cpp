// SPDX-License-Identifier: Apache-2.0
#include "app/prompts/requestqueue.h"

#include <algorithm>

namespace deskhand::app {
namespace {

using engines::PermissionRequest;

bool isAlike(const PermissionRequest &one, const PermissionRequest &other)
{
    const auto sameFiles = [&] {
        return std::equal(one.files.begin(), one.files.end(), other.files.begin(),
            other.files.end(),
            [](const engines::RequestedFile &a, const engines::RequestedFile &b) {
                return a.path == b.path && a.action == b.action && a.diff == b.diff;
            });
    };
    return one.kind != engines::RequestKind::Question && one.kind == other.kind
        && one.taskId == other.taskId && one.command == other.command && one.cwd == other.cwd
        && one.host == other.host && one.protocol == other.protocol
        && one.grantRoot == other.grantRoot && one.grants == other.grants
        && one.grantsAsked == other.grantsAsked && one.server == other.server
        && one.tool == other.tool && one.arguments == other.arguments
        && one.choices == other.choices && sameFiles();
}

} // namespace

bool RequestQueue::add(const PermissionRequest &request)
{
    if (indexOf(request.id) >= 0) {
        return false;
    }
    const auto place = std::ranges::find_if(m_entries,
        [&](const Entry &entry) { return entry.request.createdAtMs > request.createdAtMs; });
    m_entries.insert(place, Entry { request, false, false, {} });
    return true;
}

void RequestQueue::remove(const QString &requestId)
{
    m_entries.removeIf([&](const Entry &entry) { return entry.request.id == requestId; });
}

qsizetype RequestQueue::indexOf(const QString &requestId) const
{
    const auto found = std::ranges::find_if(
        m_entries, [&](const Entry &entry) { return entry.request.id == requestId; });
    return found == m_entries.end() ? -1 : found - m_entries.begin();
}

qsizetype RequestQueue::next() const
{
    const auto found = std::ranges::find_if(m_entries, &Entry::isOpen);
    return found != m_entries.end() ? found - m_entries.begin() : (m_entries.isEmpty() ? -1 : 0);
}

QStringList RequestQueue::alike(const QString &requestId) const
{
    QStringList ids;
    const qsizetype index = indexOf(requestId);
    for (const Entry &entry : m_entries) {
        if (index >= 0 && entry.request.id != requestId && entry.isOpen()
            && isAlike(entry.request, m_entries.at(index).request)) {
            ids << entry.request.id;
        }
    }
    return ids;
}

QStringList RequestQueue::openOf(const QString &taskId) const
{
    QStringList ids;
    for (const Entry &entry : m_entries) {
        if (entry.request.taskId == taskId && entry.isOpen()) {
            ids << entry.request.id;
        }
    }
    return ids;
}

} // namespace deskhand::app
