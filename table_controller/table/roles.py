"""Who may say which word (STANDARDS.md, items 46 and 48).

The table itself refuses a wrong role, so that no path leads around it and the try is in the journal.
"""

from __future__ import annotations

from table_controller.table import messages as m

BOTH = frozenset({"dealer", "supervisor"})
SUPERVISOR = frozenset({"supervisor"})

ROLES: dict[type[m.Command], frozenset[str]] = {
    m.SetAmount: BOTH,
    m.AddAmount: BOTH,
    m.RepeatAmounts: BOTH,
    m.DoubleAmounts: BOTH,
    m.UndoAmount: BOTH,
    m.ClearAmounts: BOTH,
    m.PressKey: BOTH,
    m.Fold: BOTH,
    m.StateCount: BOTH,
    m.StateHand: BOTH,
    m.MoveCard: BOTH,
    m.DiscardCard: BOTH,
    m.StateUpcard: BOTH,
    m.StateExposed: BOTH,
    m.RescanCard: BOTH,
    m.CountTokens: BOTH,
    m.CountStub: BOTH,
    m.ReturnCoin: BOTH,
    m.Claim: BOTH,
    m.LogOn: BOTH,
    m.LogOff: BOTH,
    m.ClearAlarm: BOTH,
    m.UseDeck: BOTH,
    m.ConfirmAward: BOTH,
    m.RejectAward: BOTH,
    m.VoidRound: SUPERVISOR,
    m.DeadHand: SUPERVISOR,
    m.Withdraw: SUPERVISOR,
    m.KillHand: SUPERVISOR,
    m.Resume: SUPERVISOR,
    m.FoldShort: SUPERVISOR,
    m.ReturnExcess: SUPERVISOR,
    m.NewDeck: SUPERVISOR,
    m.SetParameter: SUPERVISOR,
    m.CorrectMeter: BOTH,
    m.PayHit: SUPERVISOR,
    m.WithholdHit: SUPERVISOR,
    m.ReleaseHit: SUPERVISOR,
    m.OpenDay: SUPERVISOR,
    m.CloseDay: SUPERVISOR,
    m.ChangeShift: SUPERVISOR,
    m.BeginTrial: SUPERVISOR,
    m.EndTrial: SUPERVISOR,
    m.TrySeat: BOTH,
    m.LampSeen: BOTH,
}
"""Every word with the roles that may say it; a word that is not listed may be said by nobody."""
