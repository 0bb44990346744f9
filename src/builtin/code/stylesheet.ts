import { readBraces } from "./braces.js";
import type { Section } from "./section.js";

/**
 * The rules of a style sheet with those nested in them: selectors, `@media`, `@keyframes`, mixins.
 * One scanner for CSS, SCSS and Less, because the CSS grammar loses its way in the other two.
 */
export function readStylesheet(text: string, lineComments: boolean): Section[] {
    return readBraces(text, { lineComments, type: "rule", oneLineHeads: false }).map(
        withoutAnimationSteps
    );
}

/** The steps of an animation are values rather than rules. */
function withoutAnimationSteps(rule: Section): Section {
    const isAnimation = /^@(?:-\w+-)?keyframes\b/i.test(rule.name);
    return { ...rule, children: isAnimation ? [] : rule.children.map(withoutAnimationSteps) };
}
