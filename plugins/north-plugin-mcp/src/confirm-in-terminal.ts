import type { Config } from "@oclif/core";
import type { ConfirmHookOptions } from "north-cli/plugin";

/** Has North ask; anything but its yes is a no. Rejects with a `NorthError` where nobody can answer. */
export async function confirmInTerminal(
    config: Config,
    options: ConfirmHookOptions
): Promise<boolean> {
    const { successes, failures } = await config.runHook("north:confirm", { ...options });
    for (const { error } of failures) throw error;
    return successes.length > 0 && successes.every(({ result }) => result === true);
}
