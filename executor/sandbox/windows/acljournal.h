// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace deskhand::sandbox::windows {

/// One entry that is put into the access list of a file or directory.
struct AclChange
{
    enum class Right { AllowRead, AllowWrite, DenyWrite, DenyAll };
    std::wstring path;
    std::wstring sid; ///< textual
    Right right = Right::AllowRead;

    friend bool operator==(const AclChange &, const AclChange &) = default;
};

/// The bits of an entry, as winnt.h numbers them. Writing never includes the right to change access
/// lists or owners, nor to delete another's child: with those, what is denied below could be lifted
/// or replaced. Denying writing leaves what reading needs (SYNCHRONIZE, READ_CONTROL). Pure.
[[nodiscard]] unsigned long accessMask(AclChange::Right right);

/// How changes are made; the real one uses the Windows security functions, tests use a table.
struct AclDevice
{
    std::function<bool(const AclChange &)> apply;
    std::function<bool(const AclChange &)> revoke;
    /// Replaces the journal's content on disk, flushed before it returns.
    std::function<bool(const std::string &)> store;
    std::function<std::string()> load;
};

/// Writes down each change before it is made, so that a crash at any moment leaves nothing that the
/// next start cannot undo. One thread.
class AclJournal final
{
public:
    explicit AclJournal(AclDevice device);

    /// Undoes what an earlier process left. False when something could not be undone; it stays in
    /// the journal for the next try.
    [[nodiscard]] bool recover();
    /// All or nothing: when one fails, those made are undone and false is returned.
    [[nodiscard]] bool apply(const std::vector<AclChange> &changes);
    [[nodiscard]] bool undoAll();

    [[nodiscard]] const std::vector<AclChange> &pending() const { return m_pending; }

    [[nodiscard]] static std::string toText(const std::vector<AclChange> &changes);
    [[nodiscard]] static std::vector<AclChange> fromText(const std::string &text);

private:
    AclDevice m_device;
    std::vector<AclChange> m_pending;
};

} // namespace deskhand::sandbox::windows
