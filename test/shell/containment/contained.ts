import { mkdirSync } from "node:fs";
import path from "node:path";

import { expect } from "chai";

import type {
    ContainedRequest,
    ContainedRun,
    Containment,
    ContainmentOptions,
} from "../../../src/shell/containment/containment.js";
import { openContainment } from "../../../src/shell/containment/open-containment.js";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import { PATIENCE_MS } from "../../helpers/patience.js";
import { makeRepository, type Tree } from "../../workspace/make-folder.js";

const opened: Containment[] = [];

/** What every contained project of a test starts from. */
export function optionsFor(root: string, home = process.env.HOME ?? "/"): ContainmentOptions {
    return {
        root,
        environment: { ...process.env, HOME: home },
        layerFolders: [path.join(home, "data", "contained")],
        hiddenFolders: [],
        settings: { show: [], hide: [] },
        isIgnored: (place) => Promise.resolve(place.startsWith("dist/")),
    };
}

/** A project in a home folder of its own, and what runs commands in it. */
export class ContainedProject {
    private constructor(
        readonly root: string,
        readonly home: string,
        readonly containment: Containment
    ) {}

    /** `prepare` may fill HOME. */
    static async make(
        tree: Tree = {},
        change: Partial<ContainmentOptions> = {},
        prepare?: (home: string) => void
    ) {
        const root = makeRepository(tree);
        const home = path.join(path.dirname(root), `home-of-${path.basename(root)}`);
        mkdirSync(home, { recursive: true });
        prepare?.(home);
        const usual = optionsFor(root, home);
        const environment = { ...usual.environment, ...change.environment };
        const result = await openContainment({ ...usual, ...change, environment });
        if (result.kind === "unavailable") throw new Error(result.reason);
        opened.push(result.containment);
        return new ContainedProject(root, home, result.containment);
    }

    run(command: string, request: Partial<ContainedRequest> = {}): Promise<ContainedRun> {
        const variables = new Map([
            ["PATH", process.env.PATH ?? ""],
            ["HOME", this.home],
        ]);
        const { signal } = new AbortController();
        const state = { folder: this.root, variables, definitions: "" };
        return this.containment.run({ command, state, timeoutMs: PATIENCE_MS, signal, ...request });
    }

    /** Runs a command and makes its effects real. */
    async runAndApply(command: string): Promise<ContainedRun> {
        const run = await this.run(command);
        expect(run.refusal, run.outcome.stderr).to.equal(undefined);
        const applied = await createChangeApplier({ root: this.root }).apply({
            changes: run.effects,
        });
        expect(applied.kind).to.equal("applied");
        return run;
    }
}

/** Each effect in a word: `+` made, `-` deleted, `~` changed, `/` a folder, `@` a link. */
export function effectsOf({ effects }: ContainedRun): string[] {
    return effects.map(({ path: place, before, after, type, mode }) => {
        const sign = before === null ? "+" : after === null ? "-" : "~";
        const kind = type === "folder" ? "/" : type === "link" ? "@" : "";
        const isModeChange = before !== null && after !== null && mode !== undefined;
        return `${sign}${place}${kind}${isModeChange ? ` ${mode.toString(8)}` : ""}`;
    });
}

let canContain: Promise<string | undefined> | undefined;

/** Why this machine cannot contain commands; `undefined` where it can. */
export function whyNot(): Promise<string | undefined> {
    canContain ??= openContainment(optionsFor(makeRepository())).then(async (result) => {
        if (result.kind === "unavailable") return result.reason;
        await result.containment.dispose();
        return result.lacks?.reason;
    });
    return canContain;
}

/**
 * Tests that need containment. Where the machine cannot, they are skipped, and the output says how
 * many ran and how many could not.
 */
export function describeContained(title: string, tests: (this: Mocha.Suite) => void): void {
    describe(title, function () {
        let ran = 0;
        let skipped = 0;
        before(async function () {
            await whyNot();
        });
        beforeEach(async function () {
            const reason = await whyNot();
            if (reason === undefined) {
                ran += 1;
                return;
            }
            skipped += 1;
            this.skip();
        });
        after(async () => {
            await Promise.all(opened.splice(0).map((containment) => containment.dispose()));
            const reason = await whyNot();
            const why = reason === undefined ? "" : ` (${reason})`;
            process.stdout.write(
                `    contained runs, ${title}: ${ran} ran, ${skipped} could not${why}\n`
            );
        });
        tests.call(this);
    });
}
