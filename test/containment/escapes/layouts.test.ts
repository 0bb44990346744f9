import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { patient } from "../../helpers/patience.js";
import { sampled, sampledRuns } from "../../helpers/sample.js";
import { describeContained } from "../../shell/containment/contained.js";
import { git, writeTree } from "../../workspace/make-folder.js";
import { attackers, HostilePlace, PLACE } from "./hostile-place.js";
import type { LayoutResult, LayoutRun } from "./layout-program.js";

const PROGRAM = new URL("./layout-program.ts", import.meta.url);
const RUNS = sampledRuns(40, 4);

/** Planted in HOME. Whether a command may open them, as docs/containment.md says. */
const IN_HOME = {
    ".ssh/id_rsa": "hidden",
    ".aws/credentials": "hidden",
    ".local/share/keyrings/login": "hidden",
    ".north/conversations/1": "hidden",
    "Documents/letter": "hidden",
    "code/neighbour/file": "hidden",
    ".cargo/credentials.toml": "hidden",
    ".config/autostart/entry": "hidden",
    ".cargo/registry/crate": "shown",
    ".cargo/env": "shown",
    ".nvm/versions/node": "shown",
    ".rustup/settings": "shown",
    ".cache/pip/wheel": "shown",
    "go/pkg/module": "shown",
} as const;

/** Folders of programs, each with a file that must be shown with it. */
const ON_PATH = [".local/bin", "Documents/bin", "bin", "sdk/bin", "code/neighbour/bin"] as const;

/** Mounts that show HOME, a part of it or the project once more. */
const MOUNTS = {
    "HOME elsewhere": (home: string) => bound(home, "/media/one"),
    "a part of HOME elsewhere": (home: string) => bound(`${home}/.ssh`, "/media/two"),
    "HOME below /usr": (home: string) => bound(home, "/usr/src/three"),
    "a part of HOME in a toolchain": (home: string) => bound(`${home}/.ssh`, `${home}/.nvm/keys`),
    // With what is mounted below: a user may not bind it without.
    "the file system of HOME": () => bound("/", "/media/four", "--rbind"),
} as const;

const GIT = {
    none: () => {},
    folder: (project: string) => void git(project, "init", "--quiet"),
    "a file that names HOME's keys": (project: string, home: string) =>
        writeTree(project, { ".git": `gitdir: ${path.relative(project, home)}/.ssh\n` }),
    "a file whose common folder is HOME": (project: string, home: string) =>
        writeTree(project, {
            ".git": "gitdir: ./meta\n",
            "meta/HEAD": "ref: refs/heads/main\n",
            "meta/commondir": `${path.relative(path.join(project, "meta"), home)}\n`,
        }),
    "a link to HOME's keys": (project: string, home: string) =>
        symlinkSync(path.join(path.relative(project, home), ".ssh"), path.join(project, ".git")),
} as const;

interface Layout {
    readonly home: string;
    readonly project: string;
    readonly searchPath: readonly (typeof ON_PATH)[number][];
    readonly mounts: readonly (keyof typeof MOUNTS)[];
    readonly git: keyof typeof GIT;
}

const layouts: fc.Arbitrary<Layout> = fc.record({
    home: fc.constantFrom("home", "users/me", "deep/er/home"),
    project: fc.constantFrom("HOME/code/project", "HOME/project", "work/project", "project"),
    searchPath: fc.subarray([...ON_PATH]),
    mounts: fc.subarray(Object.keys(MOUNTS) as (keyof typeof MOUNTS)[]),
    git: fc.constantFrom(...(Object.keys(GIT) as (keyof typeof GIT)[])),
});

function bound(from: string, to: string, how = "--bind"): string {
    // Where there is no folder to mount on, in file systems of its own.
    const top = /^\/(?:media|usr\/src)/.exec(to)?.[0];
    const fresh = top && `mountpoint -q ${top} || mount -t tmpfs tmpfs ${top}; `;
    return `${fresh ?? ""}mkdir -p ${to} && mount ${how} ${from} ${to}`;
}

/** Opens whatever can be opened outside the system's own folders, and prints what was planted. */
const WALK = String.raw`
perl -MFile::Find -e '
    my %skipped = map { $_ => 1 } qw(/proc /sys /bin /sbin /lib /lib64 /etc /opt /nix /var);
    my %own = map { $_ => 1 } grep { $_ ne "/usr/src" } glob "/usr/*";
    find({ no_chdir => 1, wanted => sub {
        if ($skipped{$_} || $own{$_}) { $File::Find::prune = 1; return }
        return unless -f $_ && -s _ < 200;
        open my $file, "<", $_ or return;
        my $text = join "", <$file>;
        print "$1\t$_\n" while $text =~ /planted (\S+)/g;
    } }, "/");'`;

describeContained("layouts", () => {
    for (const user of sampled(attackers(), 1)) {
        const who = user === 0 ? "root" : `user ${user}`;
        it(`In any layout a command opens what is documented as shown and nothing else, as ${who}`, async function () {
            this.timeout(patient(900_000));
            await fc.assert(
                fc.asyncProperty(layouts, async (layout) => {
                    const { opened, unavailable } = await walk(user, layout);
                    // Asking before each command is no leak, but a usual layout must do.
                    if (unavailable !== undefined) {
                        expect(layout.mounts.length, unavailable).to.be.greaterThan(0);
                        return;
                    }
                    for (const [name, how] of expected(layout)) {
                        const place = opened.get(name);
                        if (how === "hidden") expect(place, name).to.equal(undefined);
                        else expect(place, `${name} is not shown`).not.to.equal(undefined);
                    }
                }),
                // Each takes a second or more: shrinking would take minutes.
                { numRuns: RUNS, endOnFailure: true }
            );
        });
    }
});

function expected(layout: Layout): (readonly [string, "shown" | "hidden"])[] {
    const programs = layout.searchPath.map((folder) => [`${folder}/tool`, "shown"] as const);
    const others = ON_PATH.filter((folder) => !layout.searchPath.includes(folder)).map(
        (folder) => [`${folder}/tool`, folder === ".local/bin" ? "shown" : "hidden"] as const
    );
    return [
        ...Object.entries(IN_HOME),
        ...programs,
        ...others,
        ["project/file", "shown"],
        ["project/.env", "hidden"],
        ["outside", "hidden"],
    ];
}

async function walk(user: number, layout: Layout) {
    const at = (top: string) => {
        const home = path.join(top, layout.home);
        return { home, project: path.join(top, layout.project.replace("HOME", layout.home)) };
    };
    const { home, project } = at(PLACE);
    const setup = layout.mounts.map((mount) => MOUNTS[mount](home));
    const place = new HostilePlace(user, setup, (top) => {
        const planted = at(top);
        const inHome = [...Object.keys(IN_HOME), ...ON_PATH.map((folder) => `${folder}/tool`)];
        const marks = (names: readonly string[]) =>
            Object.fromEntries(names.map((name) => [name, `planted ${name}\n`]));
        writeTree(planted.home, marks(inHome));
        writeTree(top, { "elsewhere/file": "planted outside\n" });
        writeTree(planted.project, {
            file: "planted project/file\n",
            ".env": "planted project/.env\n",
        });
        mkdirSync(path.join(planted.home, ".nvm/keys"), { recursive: true });
        GIT[layout.git](planted.project, planted.home);
        execFileSync("chmod", ["-R", "a+rX", top]);
    });
    try {
        const run: LayoutRun = {
            root: project,
            home,
            searchPath: layout.searchPath.map((folder) => path.join(home, folder)),
            command: WALK,
        };
        const [result] = await place.run<LayoutResult>(PROGRAM, run);
        const lines = (result?.output ?? "").split("\n").map((line) => line.split("\t"));
        const opened = new Map(lines.map(([name = "", where = ""]) => [name, where]));
        return { opened, unavailable: result?.unavailable };
    } finally {
        place.remove();
    }
}
