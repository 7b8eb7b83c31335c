# SPDX-License-Identifier: Apache-2.0
"""What the backend knows and the rules by which it reads a device's payloads. Pure, no network."""

DEVICE_TYPES = ("local", "app", "cloud", "remote")
SHELLS = ("claudecode", "openclaw")
MAX_PACKET = 1_000_000


def _text(data, key, limit, required=False, least=0):
    value = data.get(key)
    if value is None:
        return f"{key}: Field required" if required else None
    if not isinstance(value, str):
        return f"{key}: Input should be a valid string"
    if len(value) < least:
        return f"{key}: String should have at least {least} character"
    if len(value) > limit:
        return f"{key}: String should have at most {limit} characters"
    return None


def validate_register(data):
    """The reason why a registration is malformed, or None (section 3.1)."""
    if not isinstance(data, dict):
        return "Input should be a valid dictionary"
    for problem in (
            _text(data, "device_id", 100, True, 1), _text(data, "name", 100, True, 1),
            _text(data, "executor_version", 50), _text(data, "client_ip", 50),
            _text(data, "runtime_transfer_host", 255), _text(data, "runtime_instance_id", 100),
            _text(data, "app_device_id", 100)):
        if problem:
            return problem
    if data.get("device_type", "local") not in DEVICE_TYPES:
        return "device_type: Input should be 'local', 'app', 'cloud' or 'remote'"
    if data.get("bind_shell", "claudecode") not in SHELLS:
        return "bind_shell: Input should be 'claudecode' or 'openclaw'"
    return None


def validate_heartbeat(data):
    """The reason why a heartbeat is malformed, or None (sections 4.1 and 4.2)."""
    if not isinstance(data, dict):
        return "Input should be a valid dictionary"
    for problem in (
            _text(data, "device_id", 100, True), _text(data, "runtime_instance_id", 100, least=1),
            _text(data, "executor_version", 50), _text(data, "runtime_transfer_host", 255)):
        if problem:
            return problem
    ids = data.get("running_task_ids", [])
    if not isinstance(ids, list):
        return "running_task_ids: Input should be a valid list"
    for value in ids:
        try:
            int(value)
        except (TypeError, ValueError):
            return "running_task_ids: Input should be a valid integer"
    capacity = data.get("runtime_capacity")
    if capacity is None:
        return None
    if not isinstance(capacity, dict):
        return "runtime_capacity: Input should be a valid dictionary"
    for key, least, most in (("limit", 1, 20), ("active", 0, 20), ("queued", 0, 1 << 31)):
        value = capacity.get(key)
        if not isinstance(value, int) or not least <= value <= most:
            return f"runtime_capacity.{key}: out of range"
    names = [n.strip() for n in capacity.get("active_task_ids", []) if isinstance(n, str)]
    if len(names) != capacity["active"] or len(set(names)) != len(names) or "" in names:
        return "runtime_capacity.active_task_ids: must be unique and as many as active"
    return None


class Subtask:
    """One assistant turn as the backend stores it."""

    def __init__(self, task_id, subtask_id, device):
        self.task_id = task_id
        self.subtask_id = subtask_id
        self.device = device
        self.status = "RUNNING"
        self.error = None
        self.code = None
        self.text = ""
        self.value = None
        self.reasoning = ""
        self.blocks = []
        self.usage = None
        self.created = 0
        self.deltas = 0
        self.repeated = 0
        self.largest = 0
        self.phases = []
        self.terminals = []
        self.faults = []

    def view(self):
        return {"task_id": self.task_id, "subtask_id": self.subtask_id, "status": self.status,
                "error": self.error, "code": self.code, "text": self.text, "value": self.value,
                "reasoning": self.reasoning, "blocks": self.blocks, "usage": self.usage,
                "created": self.created, "deltas": self.deltas, "repeated": self.repeated,
                "largest": self.largest, "phases": self.phases, "terminals": self.terminals,
                "faults": self.faults}

    def block(self, block_id):
        for block in self.blocks:
            if block.get("id") == block_id:
                return block
        return None


class Store:
    """Devices, online records and subtasks; the part that a restart keeps."""

    def __init__(self):
        self.devices = {}
        self.online = {}
        self.subtasks = {}

    def start(self, task_id, subtask_id, device):
        if task_id and subtask_id and str(subtask_id) not in self.subtasks:
            self.subtasks[str(subtask_id)] = Subtask(task_id, subtask_id, device)

    def fail_running(self, device, text):
        failed = []
        for subtask in self.subtasks.values():
            if subtask.device == device and subtask.status == "RUNNING":
                subtask.status = "FAILED"
                subtask.error = text
                failed.append(subtask.subtask_id)
        return failed


def _units(value):
    """Characters of the packet that carried the value, about."""
    import json
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _delta(subtask, body):
    delta, offset = body.get("delta"), body.get("offset")
    if not isinstance(delta, str):
        subtask.faults.append("a text delta without text")
        return
    subtask.deltas += 1
    if not isinstance(offset, int):
        subtask.text += delta
        return
    have = len(subtask.text)
    if offset == have:
        subtask.text += delta
    elif offset < have and subtask.text[offset:offset + len(delta)] == delta:
        subtask.repeated += 1
    else:
        subtask.faults.append(f"offset {offset} where {have} characters are known")
        subtask.text = subtask.text[:offset] + delta


def _completed(subtask, body):
    response = body.get("response") or {}
    texts = []
    for item in response.get("output") or []:
        for part in item.get("content") or []:
            if part.get("type") in ("output_text", "text", None):
                texts.append(part.get("text") or "")
    subtask.value = "".join(texts)
    subtask.usage = response.get("usage")


def _apply_block(subtask, event, body):
    if event == "response.block.created":
        block = body.get("block")
        if not isinstance(block, dict) or not block.get("id"):
            return "block without id"
        known = subtask.block(block["id"])
        if known:
            known.update(block)
        else:
            subtask.blocks.append(dict(block))
        return None
    updates = body.get("updates")
    if not isinstance(updates, dict) or not body.get("block_id"):
        return "block update without id or updates"
    known = subtask.block(body["block_id"])
    if known is None:
        known = {"id": body["block_id"], "type": "tool", "made_by_update": True}
        subtask.blocks.append(known)
    known.update(updates)
    return None


def apply_response(store, event, data, ended):
    """Reads one work event into its subtask and gives the acknowledgement (sections 6.1, 6.2)."""
    if data is None:
        return {"error": "Missing event data"}
    if not isinstance(data, dict):
        return {"error": "Invalid event data format"}
    if not data.get("task_id") or not data.get("subtask_id"):
        return {"error": "Missing task_id or subtask_id"}
    body = data.get("data")
    if not isinstance(body, dict):
        return {"error": "Invalid event data format"}
    subtask = store.subtasks.get(str(data["subtask_id"]))
    if subtask is None:
        return {"error": f"Subtask {data['subtask_id']} not found"}
    if not isinstance(data["task_id"], int) or not isinstance(data["subtask_id"], int):
        subtask.faults.append("ids that are no integers")
    size = _units([event, data])
    subtask.largest = max(subtask.largest, size)
    terminal = {"response.completed": "COMPLETED", "response.incomplete": "CANCELLED",
                "error": "FAILED"}.get(event)
    if subtask.terminals and not (terminal and subtask.terminals[-1] == {"event": event, "data": body}):
        subtask.faults.append(f"{event} after the ending")
        return {"success": True}
    if event == "response.created":
        subtask.created += 1
        if subtask.deltas or subtask.blocks:
            subtask.faults.append("response.created after other events")
    elif not subtask.created and event != "error":
        subtask.faults.append(f"{event} before response.created")
    if event == "response.output_text.delta":
        _delta(subtask, body)
    elif event == "response.reasoning_summary_text.delta":
        subtask.reasoning += body.get("delta") or ""
    elif event == "response.reasoning_summary_part.added":
        subtask.reasoning += (body.get("part") or {}).get("text") or ""
    elif event in ("response.block.created", "response.block.updated"):
        problem = _apply_block(subtask, event, body)
        if problem:
            return {"error": problem}
    elif event == "response.status.updated":
        subtask.phases.append(body.get("phase"))
    elif terminal:
        if subtask.terminals:
            subtask.repeated += 1
            return {"success": True}
        subtask.terminals.append({"event": event, "data": body})
        subtask.status = terminal
        if event == "response.completed":
            _completed(subtask, body)
        elif event == "error":
            subtask.code, subtask.error = body.get("code"), body.get("message")
        ended(subtask)
    # response.failed and every unknown response.* are ignored, as the real backend does.
    return {"success": True}
