import type { EquivalentCall, Tool } from "./tool.js";

interface NamedTool {
    readonly name: string;
    readonly approval: Tool["approval"];
    readonly equivalents: readonly EquivalentCall[];
}

/** Every name by which a tool is meant in files written for North or for Claude Code. */
export function namesOfTool({ name, approval, equivalents }: NamedTool): readonly string[] {
    // A rule about one way to write is about all.
    const writes = approval === "write" ? ["Edit", "MultiEdit", "Write"] : [];
    const runs = approval === "shell" ? ["Bash"] : [];
    return [name, ...equivalents.map(({ tool }) => tool), ...writes, ...runs];
}

/** The same without a call: `equivalents` is asked with an empty input. */
export function namesOf(tool: Tool): readonly string[] {
    return namesOfTool({ ...tool, equivalents: equivalentsOf(tool) });
}

function equivalentsOf(tool: Tool): readonly EquivalentCall[] {
    try {
        const calls = tool.equivalents?.({});
        return Array.isArray(calls) ? calls.filter((call) => typeof call?.tool === "string") : [];
    } catch {
        return [];
    }
}
