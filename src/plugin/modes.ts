/** In the order that Shift+Tab goes through. */
export const MODES = [
    { id: "ask", name: "Ask", description: "reads and answers, changes nothing" },
    { id: "plan", name: "Plan", description: "reads, and writes a plan that you edit and accept" },
    { id: "draft", name: "Draft", description: "has all tools; the whole task is reviewed once" },
    { id: "agent", name: "Agent", description: "has all tools; edits and commands are reviewed" },
] as const;

/** Ask and plan mode change nothing; draft and agent mode have all tools. */
export type Mode = (typeof MODES)[number]["id"];

export const MODE_IDS: readonly Mode[] = MODES.map(({ id }) => id);

/** Whether calls that would change something are refused. */
export function onlyReads(mode: Mode): boolean {
    return mode === "ask" || mode === "plan";
}
