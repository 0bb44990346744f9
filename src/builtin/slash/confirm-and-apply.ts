import type { PlannedUndo, SlashScreen } from "../../plugin/index.js";

/**
 * Shows planned changes, and writes them after a yes; otherwise says that nothing changed. Resolves
 * with whether it wrote them. Rejects like `apply`.
 */
export async function confirmAndApply(
    screen: SlashScreen,
    question: string,
    planned: Pick<PlannedUndo, "changeSet" | "apply">
): Promise<boolean> {
    const isConfirmed = await screen.confirmChanges(question, planned.changeSet);
    // Takes seconds for thousands of files. `during` would only print a failure.
    const settled = isConfirmed
        ? await screen.during("Writing the changes", () => Promise.allSettled([planned.apply()]))
        : undefined;
    const [applied] = settled ?? [];
    if (applied?.status === "rejected") throw applied.reason;
    if (!applied) screen.print("Nothing changed.");
    return applied !== undefined;
}
