/** What all pages say in English. */
export default {
  "said.silent": "The table has not answered. Look at the table whether it was done before you say it again.",
  "said.unanswered": "There was no answer.",
};
