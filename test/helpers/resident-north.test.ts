import { expect } from "chai";
import { Workplace } from "./north-program.js";

const OFFLINE = ["--model", "offline", "--approve-shell"];

describe("A process that runs North again and again", () => {
    let places: Workplace[];
    const open = () => {
        const place = new Workplace().reusingProcess();
        places.push(place);
        return place;
    };
    beforeEach(() => {
        places = [];
    });
    afterEach(() => Promise.all(places.map((place) => place.remove())));

    const run = async (place: Workplace, command: string) => {
        const { stdout } = await place.run(["-p", `run ${command}`, ...OFFLINE]);
        return stdout;
    };

    it("A run sees no key, folder, variable or exit code of the run before it", async () => {
        const [one, other] = [open(), open()];
        const env = { OPENAI_API_KEY: "a-key", MARKED: "yes" };
        const first = await one.run(["-p", "run echo $MARKED $PWD $PPID", ...OFFLINE], { env });
        const [, folder, id] = /yes (\/\S+) (\d+)/.exec(first.stdout) ?? [];
        expect(folder).to.equal(one.repository);
        const wrong = await one.run(["chaat"]);
        expect(wrong).to.deep.include({ code: 2, stdout: "" });
        expect(await run(other, "echo no$MARKED $PWD $PPID")).to.contain(
            `no ${other.repository} ${id}`
        );
        const keyless = await other.run(["-p", "Hi"]);
        expect(keyless.code).to.equal(1);
        expect(keyless.stderr).to.contain("There is no API key for any model");
    });

    it("Runs at the same time are processes of their own", async () => {
        const place = open();
        const ids = await Promise.all(
            ["one", "two"].map((each) => run(place, `echo ${each} $PPID`))
        );
        const [one, two] = ids.map((stdout) => /(?:one|two) (\d+)/.exec(stdout)?.[1]);
        expect(Number(one)).to.be.above(0);
        expect(two).not.to.equal(one);
    });

    it("A run that is killed ends with its signal, and the next one works", async () => {
        const place = open();
        const killed = await place.run(["-p", "run kill -9 $PPID", ...OFFLINE]);
        expect(killed).to.deep.include({ code: null, signal: "SIGKILL" });
        expect(await run(place, "echo again")).to.contain("again");
    });
});
