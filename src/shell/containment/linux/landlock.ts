import { spawnSync } from "node:child_process";
import path from "node:path";
import { groupBy } from "../../../base/group-by.js";
import { isInside } from "../../../base/paths.js";
import { SYSTEM_PATH } from "../containment.js";
import { entriesOf } from "./home-view.js";

/** Rights on files, see landlock(7). */
const [EXECUTE, WRITE_FILE, READ_FILE, READ_DIR] = [1 << 0, 1 << 1, 1 << 2, 1 << 3];
const [TRUNCATE, IOCTL_DEV] = [1 << 14, 1 << 15];
const ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
const READ = EXECUTE | READ_FILE | READ_DIR;

/** How many rights on files each version of the interface knows. */
const RIGHTS_SINCE = [
    { version: 5, rights: 16 },
    { version: 3, rights: 15 },
    { version: 2, rights: 14 },
    { version: 1, rights: 13 },
];
/** To bind and to connect TCP; abstract sockets and signals. */
const [NETWORK_SINCE, SCOPES_SINCE] = [4, 6];

/** What a version of Landlock can restrict. */
export interface Landlock {
    readonly version: number;
    /** Bits of the rights on files, on ports, and of the scopes. */
    readonly files: number;
    readonly ports: number;
    readonly scopes: number;
}

/** Everything below a path, or the one file. */
export interface PathRule {
    readonly path: string;
    readonly may: "read" | "list" | "write" | "use-device";
}

export function landlockOf(version: number): Landlock {
    const rights = RIGHTS_SINCE.find((each) => version >= each.version)?.rights ?? 0;
    return {
        version,
        files: 2 ** rights - 1,
        ports: version >= NETWORK_SINCE ? 3 : 0,
        scopes: version >= SCOPES_SINCE ? 3 : 0,
    };
}

/** Asks the kernel for its version of Landlock, through Perl. Returns what is missing otherwise. */
export function findLandlock(): Landlock | { readonly missing: string } {
    const program = `my $v = syscall(444, 0, 0, 1); print $v < 0 ? "$!" : $v;`;
    const { stdout, status } = spawnSync("perl", ["-e", program], {
        env: { PATH: SYSTEM_PATH, LC_ALL: "C" },
        encoding: "utf8",
        timeout: 10_000,
    });
    if (status !== 0) return { missing: "there is no Perl that runs" };
    const version = Number(stdout);
    return version >= 1
        ? landlockOf(version)
        : { missing: `the kernel has no Landlock: ${stdout}` };
}

/** The rights that a rule gives, as numbers for the kernel, for a folder and for a file. */
export function rightsOf({ may }: PathRule, { files }: Landlock): readonly [number, number] {
    const given = {
        read: READ,
        list: READ_DIR,
        write: files,
        "use-device": READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV,
    }[may];
    return [given & files, given & files & ON_FILES];
}

/**
 * Rules that show a folder without what is hidden in it. Landlock has no exceptions: a folder that
 * holds something hidden is shown entry by entry. Links are left out: what they lead to is shown
 * where it is, or not at all.
 */
export function rulesAround(folder: string, hidden: readonly string[]): readonly PathRule[] {
    const within = hidden.filter((each) => isInside(folder, each));
    if (within.length === 0) return [{ path: folder, may: "read" }];
    if (within.includes(folder)) return [];
    const byEntry = groupBy(within, (each) => path.relative(folder, each).split("/")[0]);
    return entriesOf(folder).flatMap((entry): readonly PathRule[] => {
        const location = path.join(folder, entry.name);
        const inside = byEntry.get(entry.name);
        if (inside) return rulesAround(location, inside);
        return entry.isSymbolicLink() ? [] : [{ path: location, may: "read" }];
    });
}
