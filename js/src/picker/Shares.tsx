/** The shares of a question's answers as bars: enough to see how people answer, not to read off. */
import type { QuestionFigures, QuestionRecord } from "../catalogue/model";
import { strings } from "../catalogue/strings";

interface SharesProps {
  figures: QuestionFigures;
  record: QuestionRecord;
}

export function Shares({ figures: { shares, more }, record }: SharesProps) {
  const { codes, names } = record.datapoints;
  const widest = Math.max(...shares.map(({ percentage }) => percentage), 1);
  return (
    <div class="al-picker-shares">
      <ul aria-label={strings.shares}>
        {shares.map(({ datapoint, percentage }) => {
          const name = names[codes.indexOf(datapoint)] || datapoint;
          return (
            <li key={datapoint}>
              <span class="al-clip" dir="auto" title={name}>
                {name}
              </span>
              <span class="al-picker-bar">
                <span style={{ width: `${(100 * percentage) / widest}%` }} />
              </span>
              <span class="al-number">{strings.percent(percentage)}</span>
            </li>
          );
        })}
      </ul>
      {more > 0 && <div class="al-quiet">{strings.moreShares(more)}</div>}
    </div>
  );
}
