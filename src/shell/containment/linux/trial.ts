import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, constants, mkdirSync, openSync, readSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { attempt } from "../../../base/attempt.js";
import { isInside } from "../../../base/paths.js";
import type { ShellOutcome } from "../../../plugin/shell.js";
import { quote } from "../../../base/shell-quote.js";
import { removeTree } from "../../private-folder.js";
import { SYSTEM_PATH } from "../containment.js";
import { locationOf, mountEntries } from "./kernel-tables.js";
import { TRIAL_PLACE } from "./layers.js";
import type { View } from "./view.js";

const DONE = "done";

/**
 * A first command that looks for what must not be there: a secret in North's folder, by every path
 * that leads to it outside; a service's socket and a named pipe, in a place that is shown; anything
 * in `/` and HOME that is not in the table. That `true` works proves nothing.
 */
export class Trial {
    private constructor(
        private readonly folder: string,
        /** The layer that is shown, below the base folder. */
        readonly shown: string,
        private readonly view: View,
        private readonly service: Server,
        /** The named pipe, and the folder. */
        private readonly descriptors: readonly [number, number]
    ) {}

    static async plant(base: string, view: View): Promise<Trial> {
        const shown = `trial-${randomBytes(6).toString("hex")}`;
        const folder = path.join(base, shown);
        mkdirSync(folder, { mode: 0o700 });
        writeFileSync(path.join(folder, "secret"), "");
        const pipe = path.join(folder, "pipe");
        await promisify(execFile)("mkfifo", [pipe], { env: { PATH: SYSTEM_PATH } });
        // Read and write: a named pipe without a writer would say it has ended.
        const reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
        const service = createServer((socket) => socket.destroy());
        service.unref();
        // A socket's path may have no more than 107 bytes; Node would cut it off.
        const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
        service.listen(`/proc/self/fd/${descriptor}/socket`);
        await once(service, "listening");
        return new Trial(folder, shown, view, service, [reader, descriptor]);
    }

    get command(): string {
        const { home } = this.view.options;
        const tops = ["", ...(home === undefined ? [] : [quote(home)])];
        return `
\\builtin shopt -s nullglob
say() { \\builtin printf '%s\\0' "$@"; }
for place in ${this.pathsOfSecret().map(quote).join(" ")}; do
    [[ -e $place ]] && say "found $place"
done
[[ -p ${TRIAL_PLACE}/pipe && -S ${TRIAL_PLACE}/socket ]] || say 'missed what North had planted'
\\builtin printf x 1<>${TRIAL_PLACE}/pipe
\\builtin type -P perl >/dev/null && perl -e '
    socket(S, 1, 1, 0) and connect(S, pack("S a*", 1, "${TRIAL_PLACE}/socket")) and print "reached a socket\\0"'
for place in ${tops.map((top) => `${top}/* ${top}/.[!.]*`).join(" ")}; do say "listed $place"; done
while \\builtin read -r name value; do
    [[ $name == Seccomp: && $value != 2 ]] && say 'ran unfiltered'
done </proc/self/status
say ${DONE}
`;
    }

    /** Returns what went wrong, to complete "A trial command ...". */
    problemIn({ stdout, stderr, exitCode }: ShellOutcome): string | undefined {
        const said = stdout.split("\0");
        if (exitCode !== 0 || !said.includes(DONE)) return `failed: ${stderr.trim() || exitCode}`;
        if (this.pipeHasText()) return "could write to a named pipe of this machine";
        for (const each of said) {
            const [, what = "", place = ""] = /^(\w+) (.*)$/s.exec(each) ?? [];
            if (what === "found") return `could see ${place}, which must stay hidden`;
            if (what === "reached") return "could reach a socket of this machine";
            if (what === "missed") return each;
            if (what === "ran") return "ran without the filter for system calls";
            if (what === "listed" && !this.view.exists(place)) return `could see ${place}`;
        }
        return undefined;
    }

    async remove(): Promise<void> {
        this.service.close();
        await once(this.service, "close");
        for (const descriptor of this.descriptors) closeSync(descriptor);
        await removeTree(this.folder);
    }

    private pipeHasText(): boolean {
        return attempt(() => readSync(this.descriptors[0], Buffer.alloc(1)) > 0, false);
    }

    /** The secret's own, and those through other mounts of the same file system. */
    private pathsOfSecret(): readonly string[] {
        const secret = path.join(this.folder, "secret");
        const mounts = mountEntries();
        const location = locationOf(secret, mounts);
        if (location === undefined) return [secret];
        const { device, inside } = location;
        const others = mounts
            .filter((mount) => mount.device === device && isInside(mount.root, inside))
            .map(({ path: place, root }) => path.join(place, path.relative(root, inside)));
        return [...new Set([secret, ...others])];
    }
}
