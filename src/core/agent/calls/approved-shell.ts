import type { Shell } from "../../../plugin/index.js";
import { NorthError } from "../../../base/north-error.js";

/** The shell for a tool without an approved command: reports its folder and runs nothing. */
export function closedShell(shell: Shell): Shell {
    return {
        get cwd() {
            return shell.cwd;
        },
        resolve: (cwd) => shell.resolve(cwd),
        run: (command) => Promise.reject(notApproved(command)),
    };
}

/**
 * The shell for one approved command: exactly this command in exactly the shown folder, even if a
 * link on the way was changed since.
 */
export function approvedShell(shell: Shell, approved: string, folder: string): Shell {
    return {
        ...closedShell(shell),
        run: async (command, options = {}) => {
            if (command !== approved) throw notApproved(command);
            const isElsewhere = options.cwd === undefined && shell.cwd !== folder;
            if (isElsewhere) throw notApproved(`${command} in ${shell.cwd}`);
            return shell.run(
                command,
                options.cwd === undefined ? options : { ...options, cwd: folder }
            );
        },
    };
}

export function notApproved(what: string): NorthError {
    return new NorthError("not-approved", `The tool tried to run what was not approved: ${what}`, [
        "Only a tool of the class shell runs commands, and only the one it showed.",
    ]);
}
