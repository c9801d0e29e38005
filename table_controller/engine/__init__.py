"""The game: cards, hands, house rules, settlement, the progressive. Pure: arguments in, values out."""
