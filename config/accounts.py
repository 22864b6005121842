"""How people get accounts: by invitation only. And what the sign-in library says when something is wrong."""

from __future__ import annotations

from typing import ClassVar

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from django.http import HttpRequest

WRONG_CODE = "The code is wrong or too old. Type the one that is shown or was sent last."


class InvitationOnlyAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Close allauth's open sign-up; accounts come from invitations and from `createsuperuser`."""

    error_messages: ClassVar[dict[str, object]] = {
        **DefaultAccountAdapter.error_messages,
        "account_inactive": "This account is switched off. Ask the administrator of this server.",
        "cannot_remove_primary_email": "The primary address stays: make another one primary first, then remove it.",
        "duplicate_email": "This address is on your account already.",
        "email_password_mismatch": "The address or the password is wrong. Try again, or get a new password by mail.",
        "email_taken": "This address belongs to another account. Use another one.",
        "enter_current_password": "The current password is wrong. Type the one that you sign in with.",
        "incorrect_code": WRONG_CODE,
        "incorrect_password": "The password is wrong. Type the one that you sign in with.",
        "invalid_password_reset": "This link is used or too old. Ask for a new one.",
        "max_email_addresses": "An account has at most %d addresses. Remove one first.",
        "too_many_login_attempts": "Too many attempts in a short time. Wait a few minutes, then try again.",
        "unverified_primary_email": "An address becomes primary once it is confirmed. Open the link mailed to it.",
        "rate_limited": "Too many requests in a short time. Wait a few minutes, then try again.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Nobody signs up without an invitation."""
        return False


class SecondStepAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Say what to do where the second step fails."""

    error_messages: ClassVar[dict[str, object]] = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": WRONG_CODE,
        "unverified_email": "Confirm your email address first: open the link that was mailed to it.",
    }
