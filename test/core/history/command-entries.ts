import type { Entry } from "../../../src/plugin/records.js";

export const AT = new Date(2026, 10, 22, 14, 2).getTime();
let ids = 0;
export const base = () => ({ id: `e${(ids += 1)}`, at: AT });

/** A change of new files. */
export function changed(paths: readonly string[], callId?: string): Entry {
    const files = paths.map((path) => ({ path, beforeHash: null, afterHash: "0" }));
    return { ...base(), kind: "change", files, ...(callId !== undefined && { callId }) };
}

/** A call of `shell_run` and its result, the files that it changed contained in between. */
export function ran(
    command: string,
    exitCode: number,
    data: object = {},
    files: readonly string[] = []
): Entry[] {
    const callId = `c${(ids += 1)}`;
    const call = { type: "tool-call" as const, callId, name: "shell_run", input: { command } };
    const content = JSON.stringify({ ok: true, data: { exitCode, ...data } });
    const result = { callId, name: "shell_run", content, ok: true, durationMs: 1, intent: "" };
    return [
        {
            ...base(),
            ...{ kind: "assistant", provider: "p", model: "m", status: "complete" },
            content: [call],
        },
        ...(files.length > 0 ? [changed(files, callId)] : []),
        { ...base(), kind: "tool_result", ...result },
    ] as Entry[];
}
