import type { Mode, Tool } from "../../../plugin/index.js";
import type { ContainedRuns } from "../../approval/contained-runs.js";

/** Whether a mode has a tool. Ask mode only reads; contained, a command does no more. */
export function isOffered(tool: Tool, mode: Mode, contained: ContainedRuns | undefined): boolean {
    if (mode === "agent" || tool.readOnly) return true;
    return tool.approval === "shell" && contained !== undefined && contained.mode !== "off";
}
