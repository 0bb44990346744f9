import { expect } from "chai";
import { Composer } from "../../src/chat/composer/composer.js";
import { LiveView } from "../../src/chat/live-view.js";
import type { BlockSource } from "../../src/chat/terminal/screen.js";
import { loadWidths } from "../../src/chat/terminal/graphemes.js";
import { createTheme } from "../../src/chat/terminal/theme.js";

/** A view whose rows can be read at any size and time. */
function open() {
    let source: BlockSource = () => ({ rows: [] });
    const clock = { now: 10_000 };
    const nothing = (): void => {};
    const surface: ConstructorParameters<typeof LiveView>[0] = {
        columns: 80,
        room: undefined,
        isBehind: false,
        setBlock: (block) => void (source = block),
        print: nothing,
        refresh: nothing,
    };
    const events = {
        ...{ submit: nothing, interrupt: nothing, quit: nothing, toggleMode: nothing },
        takeBack: () => false,
        ...{ clearScreen: nothing, openEditor: nothing, pasteImage: nothing, changed: nothing },
    };
    const composer = new Composer(events, []);
    const view = new LiveView(surface, createTheme(0), composer, () => clock.now);
    const rows = (columns = 80) => source(columns, 20).rows.map((row) => row.trimEnd());
    return { view, composer, clock, rows };
}

describe("LiveView", () => {
    before(loadWidths);

    it("The live line shows seconds, tokens and how to cancel", () => {
        const { view, composer, clock, rows } = open();
        composer.isBusy = true;
        view.setActivities([{ label: "Answering", since: 10_000, note: () => "↓ 42 tokens" }]);
        clock.now += 3_200;
        expect(rows()[0]?.slice(2)).to.equal("Answering 3s · ↓ 42 tokens · Esc cancels");
        view.close();
    });

    it("The live line does not offer to cancel what cannot be cancelled", () => {
        const { view, composer, clock, rows } = open();
        composer.isBusy = true;
        view.setActivities([{ label: "Writing", since: 10_000, isUncancellable: true }]);
        clock.now += 3_200;
        expect(rows()[0]?.slice(2)).to.equal("Writing 3s");
        view.close();
    });

    it("A todo is left out of the live line where there is no room for a word of it", () => {
        const { view, rows } = open();
        const label = "Running npx mocha test/unit/lib/time.unit.test.ts";
        view.setActivities([{ label, since: 10_000, progress: " · 2/5 Write the tests" }]);
        const at = (columns: number) => rows(columns)[0]?.slice(2);
        expect(at(80)).to.equal(`${label} · 2/5 Write the tests`);
        expect(at(70)).to.equal(`${label} · 2/5 Write the …`);
        expect(at(60)).to.equal(label);
        view.close();
    });

    it("The first status line that fits is shown, at every width", () => {
        const { view, rows } = open();
        view.status = ["a long status line", "a short one", "shorter"];
        expect([80, 19, 18, 12, 11, 8, 6].map((columns) => rows(columns)[1])).to.deep.equal([
            "a long status line",
            "a long status line",
            "a short one",
            "a short one",
            "shorter",
            "shorter",
            "shor…",
        ]);
    });

    it("A wait counts down", () => {
        const { view, composer, clock, rows } = open();
        composer.isBusy = true;
        view.setActivities([{ label: "Retry 3", since: 10_000, until: 40_000 }]);
        expect(rows()[0]?.slice(2)).to.equal("Retry 3 in 30s · Esc cancels");
        clock.now += 29_500;
        expect(rows()[0]?.slice(2)).to.equal("Retry 3 in 1s · Esc cancels");
        view.close();
    });

    it("On a narrow terminal a long label is cut and the way to cancel stays", () => {
        const { view, composer, clock, rows } = open();
        composer.isBusy = true;
        view.setActivities([{ label: `Running ${"x".repeat(90)}`, since: 0 }]);
        clock.now = 5_000;
        expect(rows(44)[0]).to.match(/^. Running x+… 5s · Esc cancels$/);
        view.close();
    });

    it("A message queued during a question is shown below the question", () => {
        const { view, rows } = open();
        view.queued = ["next one\nsecond line", "last one"];
        view.setQuestion(() => ({ rows: ["? Apply?", "› n no"] }));
        expect(rows()).to.deep.equal([
            "? Apply?",
            "› n no",
            "  queued: next one …",
            "  queued: last one",
        ]);
        view.close();
    });

    it("Only the last of several calls says how to cancel, and none before the session", () => {
        const { view, composer, rows } = open();
        const calls = ["Reading a", "Reading b"].map((label) => ({ label, since: 10_000 }));
        view.setActivities(calls);
        expect(rows().join()).to.not.contain("Esc");
        composer.isBusy = true;
        expect(
            rows()
                .map((row) => row.includes("Esc cancels"))
                .slice(0, 2)
        ).to.deep.equal([false, true]);
        view.close();
    });
});
