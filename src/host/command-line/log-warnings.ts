import { northDirectories } from "../../storage/files/directories.js";

/** Node and libraries warn on stderr, across the chat's screen; the log is the place for it. */
export function logWarnings(environment: NodeJS.ProcessEnv): void {
    process.removeAllListeners("warning");
    process.on("warning", ({ name, message, stack }) => {
        void log(environment, { name, message, stack });
    });
}

async function log(environment: NodeJS.ProcessEnv, warning: Record<string, unknown>) {
    const { openLog } = await import("../../storage/files/log-file.js");
    const { keysIn } = await import("../models/provider-keys.js");
    const { state, config } = northDirectories(environment);
    const redact = keysIn(environment, config);
    openLog({ stateFolder: state, level: "info", redact }).event("error", "warning", warning);
}
