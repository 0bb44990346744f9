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
    // Takes seconds for thousands of files.
    if (isConfirmed) await screen.untilDone("Writing the changes", () => planned.apply());
    else screen.print("Nothing changed.");
    return isConfirmed;
}

/** Plans changes, which takes seconds for thousands of files. Settles like `plan`. */
export function planOnScreen<Plan>(screen: SlashScreen, plan: () => Promise<Plan>): Promise<Plan> {
    return screen.untilDone("Comparing the files", plan);
}
