import { expect } from "chai";
import { Workplace } from "../helpers/north-program.js";

describe("Search in the built program", () => {
    for (const disabled of ["0", "1"]) {
        it(`A search finds a line with NORTH_DISABLE_RIPGREP=${disabled}`, async () => {
            const place = new Workplace({ "a.txt": "hello needle\n" });
            try {
                const { code, stdout } = await place.run(
                    ["-p", "--model", "offline", "search needle"],
                    { env: { NORTH_DISABLE_RIPGREP: disabled } }
                );
                expect(stdout).to.contain("a.txt:1  hello needle");
                expect(code).to.equal(0);
            } finally {
                await place.remove();
            }
        });
    }
});
