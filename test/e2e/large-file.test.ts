import { expect } from "chai";
import { Workplace } from "../helpers/north-program.js";
import { byOutline, byReading, editLargeFile, largeFile } from "./large-file.js";

describe("File of three thousand lines", () => {
    const places: Workplace[] = [];

    function workplace(): Workplace {
        const place = new Workplace();
        places.push(place);
        return place;
    }

    afterEach(async () => {
        for (const place of places.splice(0)) await place.remove();
    });

    it("Editing four places by the outline takes half the context of reading the file", async () => {
        const lines = largeFile().split("\n").length - 1;
        expect(lines).to.be.within(2_900, 3_100);
        const outlined = await editLargeFile(workplace(), byOutline);
        const read = await editLargeFile(workplace(), byReading);
        for (const { end, content, answers } of [outlined, read]) {
            expect(end).to.deep.equal({ code: 0, signal: null, stdout: "Done.\n", stderr: "" });
            expect(Object.values(answers).filter(({ ok }) => !ok)).to.deep.equal([]);
            expect(content).to.equal(largeFile(true));
        }
        expect(outlined.sent.at(-1)).to.be.below((read.sent.at(-1) ?? 0) / 2);
    });
});
