import path from "node:path";
import type { Config } from "@oclif/core";
import { printToStderr } from "../../base/stderr.js";

/** Plugins that did not come with North. */
export function pluginsOfOthers(plugins: Config["plugins"]) {
    return [...plugins.values()].filter(({ type }) => type === "user" || type === "link");
}

/** An uncaught error ends North. If a plugin threw it, says which one and what to do. */
export function nameFaultyPlugin({ plugins }: Config): void {
    const others = pluginsOfOthers(plugins);
    if (others.length === 0) return;
    process.on("uncaughtException", (error: unknown) => {
        const { message, stack = message } =
            error instanceof Error ? error : new Error(String(error));
        const faulty = others.find(({ root }) => stack.includes(root + path.sep));
        const reason = faulty && [
            `The plugin ${faulty.name} ended North: ${message}`,
            `  Update it, or remove it with \`north plugins uninstall ${faulty.name}\`.`,
        ];
        printToStderr(["", ...(reason ?? []), stack].join("\n"));
        // oxlint-disable-next-line no-restricted-properties -- as Node does after an error that nobody caught
        process.exit(1);
    });
}
