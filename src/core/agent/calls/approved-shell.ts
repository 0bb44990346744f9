import type { Shell, ShellPlan, ShellRunOptions } from "../../../plugin/index.js";
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
 * The shell for one approved command: runs exactly this command in exactly the folder shown, even
 * if a link in its path has changed since. Has `start` only if the plan says `background`.
 */
export function approvedShell(
    shell: Shell,
    { command: approved, background }: ShellPlan,
    folder: string,
    onStart: (ended: Promise<void>) => void
): Shell {
    const approvedOptions = <Options extends Pick<ShellRunOptions, "cwd">>(
        command: string,
        options: Options
    ): Options => {
        if (command !== approved) throw notApproved(command);
        const isElsewhere = options.cwd === undefined && shell.cwd !== folder;
        if (isElsewhere) throw notApproved(`${command} in ${shell.cwd}`);
        return options.cwd === undefined ? options : { ...options, cwd: folder };
    };
    const start = background && shell.start?.bind(shell);
    return Object.assign(closedShell(shell), {
        run: async (command: string, options: ShellRunOptions = {}) =>
            shell.run(command, approvedOptions(command, options)),
        ...(start && {
            start: async (command: string, options: Pick<ShellRunOptions, "cwd"> = {}) => {
                const job = await start(command, approvedOptions(command, options));
                onStart(job.ended);
                return job;
            },
        }),
    });
}

export function notApproved(what: string): NorthError {
    return new NorthError(
        "not-approved",
        `The tool tried to run something that was not approved: ${what}`,
        ["Only a shell tool can run commands, and only the one it showed."]
    );
}
