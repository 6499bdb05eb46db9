/** The axes of a picture. */

import type { Axis, Box } from "./plot.ts";

const LINE = 13;
const FIRST_LINE = 15;
/** Room below a picture for two lines of words and a title. */
export const BOTTOM = 50;

interface AxisProps {
  readonly axis: Axis;
  readonly box: Box;
  readonly words: string;
}

/** From left to right, below the marks. */
export function Across({ axis, box, words }: AxisProps) {
  const hasDashes = axis.shift === 0; // else a word stands for a bin and not for its beginning
  return (
    <g>
      <line class="edge" x1={box.left} x2={box.right} y1={box.bottom} y2={box.bottom} />
      {axis.ticks.map((tick) => {
        const x = axis.scale.at(tick.at + axis.shift);
        return (
          <g key={tick.at}>
            {hasDashes && <line class="edge" x1={x} x2={x} y1={box.bottom} y2={box.bottom + 4} />}
            {tick.words.map((line, index) => (
              <text
                key={index}
                class="axis tick"
                x={x}
                y={box.bottom + FIRST_LINE + index * LINE}
                text-anchor="middle"
              >
                {line}
              </text>
            ))}
          </g>
        );
      })}
      <text
        class="axis title"
        x={(box.left + box.right) / 2}
        y={box.bottom + BOTTOM - 6}
        text-anchor="middle"
      >
        {words}
      </text>
    </g>
  );
}

/** From left to right, above bars, where it is seen before they are scrolled. */
export function Above({ axis, box, words }: AxisProps) {
  return (
    <g>
      <text class="axis title" x={box.left} y={11}>
        {words}
      </text>
      {axis.ticks.map((tick) => {
        const x = axis.scale.at(tick.at);
        return (
          <g key={tick.at}>
            <line class="grid-line" x1={x} x2={x} y1={box.top} y2={box.bottom} />
            <text class="axis tick" x={x} y={box.top - 6} text-anchor="middle">
              {tick.words[0]}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** Upwards, on the left. */
export function Upwards({ axis, box, words }: AxisProps) {
  return (
    <g>
      <text class="axis title" x={box.left} y={11}>
        {words}
      </text>
      {axis.ticks.map((tick) => {
        const y = axis.scale.at(tick.at);
        return (
          <g key={tick.at}>
            <line class="grid-line" x1={box.left} x2={box.right} y1={y} y2={y} />
            <text class="axis tick" x={box.left - 8} y={y} text-anchor="end" dominant-baseline="central">
              {tick.words[0]}
            </text>
          </g>
        );
      })}
    </g>
  );
}
